// SPDX-License-Identifier: GPL-2.0-only
// Checks of what outlasts a selection, a touch, or a change of the size: what the reader has
// chosen, and the focus. Each check returns a list of problems.
import { expect } from "./parts.mjs";

const selection = (page) => page.locator("#selection").textContent();
const isSelected = async (page) => (await selection(page)).startsWith("Selected:");

// A pointer event in the chart, at a part of its width.
function pointer(page, type, part, options) {
	return page.evaluate(([type, part, options]) => {
		const chart = document.querySelector("svg.chart");
		const box = chart.getBoundingClientRect();
		chart.setPointerCapture = () => {}; // no pointer is down
		chart.dispatchEvent(new PointerEvent(type, { clientX: box.left + box.width * part,
			clientY: box.top + 90, pointerId: 1, bubbles: true, ...options }));
	}, [type, part, options]);
}

const DOWN = { button: 0, buttons: 1 };
const UP = { button: 0, buttons: 0 };

// Filter, order, details and zoom are the same after a selection, and after its end.
export async function checkKept(page) {
	const problems = [];
	const tables = page.locator("#tables");
	const filter = tables.getByLabel("Filter");
	const name = await tables.locator("td button").first().textContent();
	await filter.fill(name);
	await tables.locator("th").getByRole("button", { name: /^ALLOCS/ }).click();
	await tables.locator("th").getByRole("button", { name: /^ALLOCS/ }).click();
	await tables.locator("td button").first().click();
	const heading = await page.locator("#details h3").textContent();
	const graph = page.locator("#graph");
	await graph.getByLabel("Value").selectOption("alloc");
	await graph.locator(".icicle button").nth(1).click();
	const zoomed = await graph.locator(".icicle button").nth(1).textContent();
	await page.locator("#treemap").getByLabel("Value").selectOption("peak");
	const check = async (when) => {
		expect(problems, `filter ${when}`, await filter.inputValue(), name);
		expect(problems, `order ${when}`, await tables.locator("th[aria-sort=ascending]")
			.textContent(), "ALLOCS ▲");
		expect(problems, `details ${when}`, await page.locator("#details h3").first().textContent(),
			heading);
		const box = graph.locator(".icicle button").nth(1);
		expect(problems, `zoom ${when}`, await box.textContent(), zoomed);
		expect(problems, `width ${when}`, await box.evaluate((b) => b.style.width), "100%");
	};
	await filter.focus();
	await pointer(page, "pointerdown", 0.1, DOWN);
	await pointer(page, "pointermove", 0.97, DOWN);
	await pointer(page, "pointerup", 0.97, UP);
	expect(problems, "selected", await isSelected(page), true);
	expect(problems, "focus", await page.evaluate(() => document.activeElement.type), "search");
	await check("with a selection");
	await page.getByRole("button", { name: "Whole recording" }).click();
	await check("after a selection");
	expect(problems, "value of the map", await page.locator("#treemap").getByLabel("Value")
		.inputValue(), "peak");
	return problems;
}

// A finger that scrolls the page selects nothing, and leaves no brush. Only the first button
// selects.
export async function checkTouch(page) {
	const problems = [];
	await pointer(page, "pointerdown", 0.2, DOWN);
	await pointer(page, "pointermove", 0.4, DOWN);
	await pointer(page, "pointercancel", 0.4, UP);
	expect(problems, "selected by a scroll", await isSelected(page), false);
	await pointer(page, "pointermove", 0.8, UP);
	await page.evaluate(() => new Promise(requestAnimationFrame));
	expect(problems, "selected after a scroll", await isSelected(page), false);
	await pointer(page, "pointerdown", 0.2, DOWN);
	await pointer(page, "pointermove", 0.8, UP);
	await page.evaluate(() => new Promise(requestAnimationFrame));
	expect(problems, "selected without a button", await isSelected(page), false);
	await pointer(page, "pointerdown", 0.2, { button: 2, buttons: 2 });
	await pointer(page, "pointermove", 0.8, { button: -1, buttons: 2 });
	await page.evaluate(() => new Promise(requestAnimationFrame));
	expect(problems, "selected by another button", await isSelected(page), false);
	return problems;
}

// The page is drawn once for many moves of the pointer, and not again for the same steps.
export async function checkMoves(page) {
	const problems = [];
	const drawn = () => page.evaluate(() => window.drawn);
	await page.evaluate(() => {
		window.drawn = 0;
		window.onSelection(() => { window.drawn++; });
		const chart = document.querySelector("svg.chart");
		const box = chart.getBoundingClientRect();
		chart.setPointerCapture = () => {};
		const send = (type, part, buttons) => chart.dispatchEvent(new PointerEvent(type,
			{ clientX: box.left + box.width * part, clientY: box.top + 90, button: 0, buttons }));
		send("pointerdown", 0.2, 1);
		for (let i = 0; i < 20; i++)
			send("pointermove", 0.3 + i / 40, 1);
		send("pointerup", 0.8, 0);
	});
	expect(problems, "drawn for 20 moves", await drawn(), 1);
	await pointer(page, "pointerdown", 0.2, DOWN);
	await pointer(page, "pointermove", 0.775, DOWN);
	await pointer(page, "pointerup", 0.775, UP);
	expect(problems, "drawn for the same steps", await drawn(), 1);
	return problems;
}

const focusedText = (page) => page.evaluate(() => document.activeElement.textContent);

// The focus after "Close details", also if the table was sorted meanwhile.
async function checkClosed(page, problems) {
	const row = page.locator("#tables td button").nth(1);
	const name = await row.textContent();
	await row.focus();
	await page.keyboard.press("Enter");
	await page.getByRole("button", { name: "Close details" }).focus();
	await page.keyboard.press("Enter");
	expect(problems, "focus after the details", await focusedText(page), name);
	await page.keyboard.press("Enter");
	await page.locator("#tables th").getByRole("button", { name: /^ALLOCS/ }).click();
	await page.getByRole("button", { name: "Close details" }).focus();
	await page.keyboard.press("Enter");
	expect(problems, "focus after sorting", await focusedText(page), name);
}

// The same field has the focus after a change of the size.
async function checkResized(page, problems, field) {
	await page.locator(`${field} button`).first().focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowDown");
	const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
	const before = await label();
	const { width, height } = page.viewportSize();
	const drawn = page.evaluate((part) => new Promise((done) => {
		new MutationObserver(done).observe(document.querySelector(part), { childList: true });
	}), field);
	await page.setViewportSize({ width: width - 200, height });
	await drawn;
	expect(problems, `focus in ${field}`, await label(), before);
	expect(problems, `a field of ${field}`, before === null, false);
	await page.setViewportSize({ width, height });
}

export async function checkFocus(page) {
	const problems = [];
	await checkClosed(page, problems);
	await checkResized(page, problems, ".icicle");
	await checkResized(page, problems, ".treemap");
	return problems;
}

// The focus after "Show more rows".
export async function checkMoreRows(page) {
	const problems = [];
	const more = page.locator("#tables").getByRole("button", { name: /^Show more rows/ });
	const count = await page.locator("#tables tbody tr").count();
	await more.focus();
	await page.keyboard.press("Enter");
	expect(problems, "focus on the first new row", await page.evaluate(() =>
		[...document.querySelectorAll("#tables tbody tr")].findIndex((row) =>
			row.contains(document.activeElement))), count);
	return problems;
}
