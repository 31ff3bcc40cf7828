// SPDX-License-Identifier: GPL-2.0-only
// Opens pictures in Chromium, and uses them as a reader does:
//
//   pictures.mjs DIRECTORY SCREENSHOTS NAME...    DIRECTORY/NAME.svg are the pictures
//
// A name ends with the width. Prints KTAP. run.sh makes the pictures.
import { finish, open, result, start } from "./browser.mjs";

const [, , directory, screenshots, ...names] = process.argv;

function openPicture(browser, name, options) {
	const width = Number(name.split("-").pop());
	return open(browser, `${directory}/${name}.svg`,
		{ viewport: { width, height: 900 }, ...options });
}

// Texts that leave the picture, or their frame.
function findOverflow() {
	const width = document.documentElement.width.baseVal.value;
	const problems = [];
	for (const text of document.querySelectorAll("text")) {
		const box = text.getBBox();
		const rect = text.parentNode.querySelector(":scope > rect");
		const [left, right] = rect && text.parentNode !== document.documentElement ?
			[rect.x.baseVal.value, rect.x.baseVal.value + rect.width.baseVal.value] : [0, width];
		if (box.width && (box.x < left || box.x + box.width > right + 0.5))
			problems.push(`from ${box.x} to ${box.x + box.width}: ${text.textContent}`);
	}
	return problems;
}

function backColour(page) {
	return page.evaluate(() =>
		getComputedStyle(document.querySelector(".back")).fill);
}

async function checkLook(browser, name) {
	for (const [colorScheme, back] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(20, 23, 27)"]]) {
		const { context, page, problems } = await openPicture(browser, name, { colorScheme });
		problems.push(...await page.evaluate(findOverflow));
		if (await backColour(page) !== back)
			problems.push(`the background is ${await backColour(page)}`);
		const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
		if (wide)
			problems.push("it is wider than the window");
		const height = await page.evaluate(() => document.documentElement.height.baseVal.value);
		await page.setViewportSize({ width: page.viewportSize().width, height });
		await page.screenshot({ path: `${screenshots}/${name}-${colorScheme}.png` });
		result(`${name} ${colorScheme}`, problems);
		await context.close();
	}
}

async function checkWithoutScript(browser, name) {
	const { context, page, problems } = await openPicture(browser, name,
		{ javaScriptEnabled: false });
	await page.screenshot({ path: `${screenshots}/${name}-without-script.png` });
	if (await page.locator("input").count())
		problems.push("there is a field that does nothing");
	if (!await page.locator(".frame text").count())
		problems.push("there are no names");
	result(`${name} without its script`, problems);
	await context.close();
}

const titleOf = (frame) => frame.locator("> title").textContent();
const boxOf = (frame) => frame.locator("> rect").boundingBox();

// A click on the frame at the top of the narrowest stack shows it as wide as all.
async function checkZoom(page) {
	const problems = [];
	const frames = page.locator(".frame");
	const whole = page.viewportSize().width - 24;
	const last = frames.nth(await frames.count() - 1);
	const before = await boxOf(last);
	await last.locator("> rect").click();
	const zoomed = await boxOf(last);
	if (Math.abs(zoomed.width - whole) > 1)
		problems.push(`zoomed, ${await titleOf(last)} has ${zoomed.width} pixels of ${whole}`);
	const text = await last.locator("> text").textContent();
	if (text !== (await titleOf(last)).split("\n")[0])
		problems.push(`zoomed, it shows only ${text}`);
	if (await frames.first().isVisible() && await frames.count() > 2)
		problems.push("zoomed, another kind of memory is still there");
	problems.push(...await page.evaluate(findOverflow));
	await page.screenshot({ path: `${screenshots}/zoom.png` });
	await page.keyboard.press("Escape");
	const after = await boxOf(last);
	if (Math.abs(after.width - before.width) > 0.1 || Math.abs(after.x - before.x) > 0.1)
		problems.push(`after Escape, it is at ${JSON.stringify(after)}`);
	return problems;
}

// The sum of the frames that match, without those above another one that does.
function sumsOf(word) {
	const sums = {};
	const walk = (group, kind) => {
		const [name] = group.querySelector(":scope > title").textContent.split("\n");
		if (name.includes(word)) {
			sums[kind || name] = (sums[kind || name] || 0) + Number(group.dataset.value);
			return;
		}
		group.querySelectorAll(":scope > .frame").forEach((callee) => walk(callee, kind || name));
	};
	document.querySelectorAll("svg > .frame").forEach((group) => walk(group, ""));
	return sums;
}

async function checkSearch(page) {
	const problems = [];
	await page.locator("input").fill("GAMMA");
	const sums = await page.evaluate(sumsOf, "gamma");
	const shown = await page.locator("svg > text").last().textContent();
	for (const [kind, sum] of Object.entries(sums))
		if (!shown.includes(`${kind}: ${sum} of `))
			problems.push(`it shows ${shown} instead of ${kind}: ${sum}`);
	if (!Object.keys(sums).length || !await page.locator(".hit").count())
		problems.push("nothing is found");
	await page.screenshot({ path: `${screenshots}/search.png` });
	await page.locator("input").fill("no such function");
	if (await page.locator(".hit").count())
		problems.push("what was found before is still marked");
	return problems;
}

async function checkHostile(page) {
	const titles = await page.locator("title").allTextContents();
	return [titles.some((text) => text.includes('al;p"h\\\\a<b>')) ? [] : ["a name is not shown"],
		await page.locator("b, img").count() ? ["a name became an element"] : []].flat();
}

async function use(browser, name, what, check) {
	const { context, page, problems } = await openPicture(browser, name, {});
	const found = await check(page).catch((error) => [error.stack]);
	result(`${name}: ${what}`, [...problems, ...found]);
	await context.close();
}

const browser = await start();
for (const name of names)
	await checkLook(browser, name);
await checkWithoutScript(browser, "flame-stacks-1900");
await use(browser, "flame-stacks-1900", "a click zooms in, Escape zooms out", checkZoom);
await use(browser, "flame-stacks-1900", "words are found", checkSearch);
await use(browser, "timeline-hostile-1900", "names are text", checkHostile);
await finish(browser);
