// SPDX-License-Identifier: GPL-2.0-only
// Opens pages in Chromium and uses them as a reader does:
//
//   driver.mjs DIRECTORY SCREENSHOTS NAME...    DIRECTORY/NAME.html are the pages
//
// Prints KTAP. run.sh makes the pages.
import fs from "node:fs";
import { finish, open as openFile, result, start } from "./browser.mjs";
import { checkAges, checkBrush, checkConclusions, checkDetails, checkGraph, checkLive, checkRest,
	checkTable } from "./parts.mjs";
import { checkClock, checkLeftOut, checkNothing, checkPart, checkPrint, checkSearch, checkSiteNotes, checkTags,
	checkTexts } from "./notes.mjs";
import { checkFocus, checkKept, checkMoreRows, checkMoves, checkTouch } from "./gestures.mjs";
import { checkKeyboard, checkVisible } from "./keyboard.mjs";

const SIZES = [{ width: 360, height: 760 }, { width: 1920, height: 1080 }];
const LARGEST = 5 * 1000 * 1000;
const SECONDS = 2;

const [, , directory, screenshots, ...names] = process.argv;
const axe = fs.readFileSync("node_modules/axe-core/axe.min.js", "utf8");
async function open(browser, name, options) {
	const opened = await openFile(browser, `${directory}/${name}.html`, options);
	// a ResizeObserver draws
	await opened.page.evaluate(() => new Promise((done) => {
		requestAnimationFrame(() => requestAnimationFrame(done));
	}));
	return opened;
}

async function violations(page) {
	await page.evaluate(axe);
	const found = await page.evaluate(() => window.axe.run());
	return found.violations.map((v) => `axe: ${v.id}: ${v.nodes[0].html.slice(0, 200)}`);
}

// The same with all that can be opened: details of a row, and the meaning of columns.
async function openAll(page, viewport, path) {
	const row = page.locator("#tables td button").first();
	if (await row.count())
		await row.click();
	await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
	const width = await page.evaluate(() => document.documentElement.scrollWidth);
	await page.screenshot({ path, fullPage: true });
	return [...width > viewport.width ? [`with details, the page is ${width} pixels wide`] : [],
		...await violations(page)];
}

async function checkLook(browser, name) {
	for (const viewport of SIZES)
		for (const colorScheme of ["light", "dark"]) {
			const { context, page, problems } = await open(browser, name,
				{ viewport, colorScheme });
			const width = await page.evaluate(() => document.documentElement.scrollWidth);
			if (width > viewport.width)
				problems.push(`the page is ${width} pixels wide`);
			problems.push(...await violations(page));
			const what = `${name}-${viewport.width}-${colorScheme}`;
			await page.screenshot({ path: `${screenshots}/${what}.png`, fullPage: true });
			problems.push(...await openAll(page, viewport, `${screenshots}/${what}-details.png`));
			result(`${what}: no findings`, problems);
			await context.close();
		}
}

// Runs a check of a part of a page; check(page) returns problems.
async function use(browser, name, what, check) {
	const { context, page, problems } = await open(browser, name,
		{ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
	const found = await check(page).catch((error) => [error.stack]);
	result(`${name}: ${what}`, [...problems, ...found]);
	await context.close();
}

// Hostile names are text, and all of it is there.
async function checkHostile(page) {
	const problems = [];
	const texts = await page.locator("td").allTextContents();
	if (await page.locator("img, b, body > :not(header, main, footer, noscript, script)").count())
		problems.push("a name became an element");
	if (!texts.some((text) => text.includes("</script><b>")))
		problems.push("the name of a function is not shown");
	await page.getByRole("button", { name: "Caches" }).click();
	const caches = await page.locator("#tables td").allTextContents();
	if (!caches.some((text) => text.includes("<img src=x")))
		problems.push("the name of a cache is not shown");
	return problems;
}

// Each table, in both themes, with the details of its first row.
async function checkTables(page) {
	const problems = [];
	const tabs = page.locator("#tables [aria-label='Which table'] button");
	for (const theme of ["light", "dark"]) {
		await page.getByLabel("Theme").selectOption(theme);
		for (let i = 0; i < await tabs.count(); i++) {
			await tabs.nth(i).click();
			const opens = page.locator("#tables td button");
			if (await opens.count())
				await opens.first().click();
			problems.push(...(await violations(page)).map((text) => `table ${i}: ${text}`));
		}
	}
	return problems;
}

async function checkTheme(page) {
	const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const light = await colour();
	await page.getByLabel("Theme").selectOption("dark");
	const dark = await colour();
	await page.emulateMedia({ media: "print" });
	const printed = await colour();
	return [light !== "rgb(255, 255, 255)" && `light is ${light}`, dark === light && "no dark theme",
		printed !== "rgb(255, 255, 255)" && `printed on ${printed}`].filter(Boolean);
}

// The best of three: other programs may use the CPU.
async function checkLarge(browser, name) {
	const { size } = fs.statSync(`${directory}/${name}.html`);
	let best = Infinity;
	for (let i = 0; i < 3; i++) {
		const context = await browser.newContext();
		const page = await context.newPage();
		const session = await context.newCDPSession(page);
		// CPU time of the page's thread, which does not depend on other processes
		await session.send("Performance.enable", { timeDomain: "threadTicks" });
		await page.goto(`file://${directory}/${name}.html`);
		await page.locator("#tables tbody tr").first().waitFor();
		const { metrics } = await session.send("Performance.getMetrics");
		best = Math.min(best, metrics.find((m) => m.name === "TaskDuration").value);
		await context.close();
	}
	console.log(`# ${size} bytes, ${best.toFixed(2)} s of CPU time`);
	result(`${name}: at most 5 MB`, size > LARGEST ? [`${size} bytes`] : []);
	result(`${name}: can be used after ${SECONDS} s of CPU time`, best > SECONDS || !(best > 0) ? [`${best} s`] : []);
}

const browser = await start();
for (const name of names)
	await checkLook(browser, name);
await use(browser, "hostile-page", "names are text", checkHostile);
await use(browser, "stacks", "themes", checkTheme);
for (const name of ["stacks", "golden", "large"]) {
	await use(browser, name, "tables sort and filter", checkTable);
	await use(browser, name, "a brush restricts all below", checkBrush);
	await use(browser, name, "stacks: values, search, zoom", checkGraph);
}
await use(browser, "stacks", "details of a site", checkDetails);
for (const name of ["stacks", "golden", "leak", "kept", "live", "state", "no-frees", "large"])
	await use(browser, name, "ages of each site", checkAges);
await use(browser, "leak", "waste and leaks", checkConclusions);
await use(browser, "live", "tables, and the map of all memory", checkLive);
await use(browser, "stacks", "the map of all memory", checkRest);
for (const name of ["leak", "live"])
	await use(browser, name, "each table without findings", checkTables);
await use(browser, "stacks", "the keyboard alone", checkKeyboard);
for (const name of ["stacks", "live"])
	await use(browser, name, "each place of the focus is visible", checkVisible);
await use(browser, "stacks", "what is chosen outlasts a selection", checkKept);
await use(browser, "stacks", "touch and other buttons", checkTouch);
await use(browser, "stacks", "one drawing for many moves", checkMoves);
await use(browser, "stacks", "the focus is not lost", checkFocus);
await use(browser, "crowd", "the focus after more rows", checkMoreRows);
for (const name of ["stacks", "crowd"])
	await use(browser, name, "callers and sizes that are left out", checkSiteNotes);
await use(browser, "crowd", "rows that are left out", checkLeftOut);
await use(browser, "crowd", "a search counts what is too narrow", checkSearch);
await use(browser, "crowd", "print", checkPrint);
await use(browser, "tags", "more tags than a page has", checkTags);
await use(browser, "state", "texts of figures", checkTexts);
await use(browser, "part", "a part of a recording", checkPart);
for (const name of ["golden", "large"])
	await use(browser, name, "times and the peak", checkClock);
await use(browser, "zero", "no records", checkNothing);
await checkLarge(browser, "large");
await finish(browser);
