// SPDX-License-Identifier: GPL-2.0-only
// What the tests in Chromium have in common: results as KTAP, and files that are opened with
// a list of what they must not do.
import { chromium } from "playwright-core";

let count = 0, failures = 0;

// Prints a result; problems: a list of texts.
export function result(name, problems) {
	count++;
	failures += problems.length > 0;
	console.log(`${problems.length ? "not ok" : "ok"} ${count} ${name}`);
	problems.slice(0, 20).forEach((text) => console.log(`# ${text}`));
}

export async function start() {
	console.log("KTAP version 1");
	return chromium.launch({ executablePath: "/usr/bin/chromium",
		args: process.getuid() ? [] : ["--no-sandbox"] });
}

export async function finish(browser) {
	await browser.close();
	console.log(`1..${count}`);
	process.exit(failures ? 1 : 0);
}

// A file; problems: errors, messages, requests and dialogs.
export async function open(browser, path, options) {
	const context = await browser.newContext(options);
	const page = await context.newPage();
	const problems = [];
	page.on("console", (message) => problems.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => problems.push(`error: ${error.stack}`));
	page.on("dialog", (dialog) => { problems.push("a dialog"); dialog.dismiss(); });
	page.on("request", (request) => {
		if (!request.url().startsWith(`file://${path}`))
			problems.push(`request: ${request.url()}`);
	});
	await page.goto(`file://${path}`);
	return { context, page, problems };
}
