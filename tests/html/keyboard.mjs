// SPDX-License-Identifier: GPL-2.0-only
// Uses a page with the keyboard alone.
import { expect } from "./parts.mjs";

const TABS_MAX = 60;

// Presses Tab until a part of the page has the focus. Return: whether it was reached.
async function tabTo(page, selector) {
	for (let i = 0; i < TABS_MAX; i++) {
		await page.keyboard.press("Tab");
		if (await page.evaluate((s) => document.activeElement.matches(s), selector))
			return true;
	}
	return false;
}

function focused(page, member) {
	return page.evaluate((m) => document.activeElement[m], member);
}

async function checkTime(page, problems) {
	if (!await tabTo(page, "#timeline input[type=range]"))
		return problems.push("the handle From cannot be reached");
	for (let i = 0; i < 5; i++)
		await page.keyboard.press("ArrowRight");
	const text = await page.locator("#selection").textContent();
	expect(problems, "selection", text.startsWith("Selected:"), true);
	await page.keyboard.press("Escape");
	expect(problems, "Escape: the whole recording",
		(await page.locator("#selection").textContent()).startsWith("Selected:"), false);
	await page.keyboard.press("ArrowRight");
	expect(problems, "selected again",
		(await page.locator("#selection").textContent()).startsWith("Selected:"), true);
	if (!await tabTo(page, "#timeline button"))
		return problems.push("the button of the whole recording cannot be reached");
	await page.keyboard.press("Enter");
	return expect(problems, "whole recording",
		(await page.locator("#selection").textContent()).startsWith("Selected:"), false);
}

async function checkStacks(page, problems) {
	if (!await tabTo(page, ".icicle button"))
		return problems.push("the stacks cannot be reached");
	const root = await focused(page, "title");
	await page.keyboard.press("ArrowDown");
	const child = await focused(page, "title");
	expect(problems, "a function below", child !== root, true);
	await page.keyboard.press("ArrowRight");
	const next = await focused(page, "title");
	expect(problems, "the next function", next !== child, true);
	await page.keyboard.press("Enter");
	expect(problems, "zoomed in", await page.locator(".icicle button").nth(1).getAttribute("title"),
		next);
	await page.keyboard.press("Escape");
	await page.keyboard.press("ArrowUp");
	return expect(problems, "zoomed out", await focused(page, "title"), root);
}

async function checkMap(page, problems) {
	if (!await tabTo(page, ".treemap button"))
		return problems.push("the tree map cannot be reached");
	const first = await focused(page, "title");
	await page.keyboard.press("ArrowRight");
	return expect(problems, "the next site", await focused(page, "title") !== first, true);
}

async function checkSites(page, problems) {
	if (!await tabTo(page, "#tables th button"))
		return problems.push("the titles of the table cannot be reached");
	await page.keyboard.press("Enter");
	expect(problems, "sorted by the first column",
		await page.locator("#tables th").first().getAttribute("aria-sort"), "ascending");
	if (!await tabTo(page, "#tables td button"))
		return problems.push("the sites cannot be reached");
	await page.keyboard.press("Enter");
	expect(problems, "the details have the focus", await focused(page, "tagName"), "H3");
	if (!await tabTo(page, "#details summary"))
		return problems.push("the meaning of columns cannot be reached");
	await page.keyboard.press("Enter");
	expect(problems, "the meaning of columns", await page.locator("#details dl.words").isVisible(), true);
	if (!await tabTo(page, "#details > button"))
		return problems.push("the button that closes the details cannot be reached");
	await page.keyboard.press("Enter");
	return expect(problems, "closed", await page.locator("#details h3").count(), 0);
}

// Walks with Tab through the whole page. Each place is in sight, and has an outline.
export async function checkVisible(page) {
	const problems = [], places = [];
	for (let i = 0; i < 200; i++) {
		await page.keyboard.press("Tab");
		const place = await page.evaluate(() => {
			const at = document.activeElement;
			const { outlineStyle, outlineWidth } = getComputedStyle(at);
			const box = at.getBoundingClientRect();
			return { tag: at.tagName, name: at.textContent.trim().slice(0, 40),
				part: (at.closest("[id]") || at).id, outline: outlineStyle !== "none" &&
					parseFloat(outlineWidth) >= 2,
				isSeen: box.width > 0 && box.bottom > 0 && box.top < innerHeight &&
					box.right > 0 && box.left < innerWidth };
		});
		if (place.tag === "BODY")
			break;
		places.push(place);
		if (!place.outline)
			problems.push(`no outline: ${place.tag} ${place.name}`);
		if (!place.isSeen)
			problems.push(`not in sight: ${place.tag} ${place.name}`);
	}
	for (const part of ["theme", "treemap", "tables"])
		expect(problems, `${part} is reached`, places.some((place) => place.part === part), true);
	expect(problems, "the end is reached", places.length < 200, true);
	return problems;
}

export async function checkKeyboard(page) {
	const problems = [];
	await checkTime(page, problems);
	await checkStacks(page, problems);
	await checkMap(page, problems);
	await checkSites(page, problems);
	return problems;
}
