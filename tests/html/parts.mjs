// SPDX-License-Identifier: GPL-2.0-only
// Checks of the parts of a page with the pointer. The expected figures are computed here
// from the document. Each check returns a list of problems.

export function documentOf(page) {
	return page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
}

export function expect(problems, what, found, wanted) {
	if (found !== wanted)
		problems.push(`${what}: ${found} instead of ${wanted}`);
}

// "1 234 bytes" or "1 234" as a number.
export function number(text) {
	return Number(text.replace(/ bytes$/, "").replaceAll(" ", ""));
}

// The exact values of a column of the table of sites, as shown.
async function columnOf(page, title) {
	const titles = await page.locator("#tables th").allTextContents();
	const at = titles.findIndex((text) => text.replace(/ [▲▼]$/, "") === title);
	return page.locator(`#tables tbody tr td:nth-child(${at + 1})`).evaluateAll((cells) =>
		cells.map((cell) => cell.title || cell.textContent));
}

async function showAll(page) {
	const more = page.getByRole("button", { name: /^Show more rows/ }).last();
	while (await more.isVisible())
		await more.click();
}

function isSorted(values, up) {
	return values.every((value, i) => !i ||
		(up ? values[i - 1] <= value : values[i - 1] >= value));
}

export async function checkTable(page) {
	const problems = [];
	const data = await documentOf(page);
	const title = page.locator("#tables th").getByRole("button", { name: /^TOTAL$/ });
	await title.click();
	if (!isSorted((await columnOf(page, "TOTAL")).map(number), false))
		problems.push("not sorted, the largest first");
	await page.locator("#tables th[aria-sort=descending]").getByRole("button").click();
	if (!isSorted((await columnOf(page, "TOTAL")).map(number), true))
		problems.push("not sorted, the smallest first");
	expect(problems, "sorted columns", await page.locator(
		"#tables th[aria-sort=ascending]").count(), 1);
	const name = data.sites.rows[0][data.sites.columns.findIndex(([key]) => key === "site")];
	await page.locator("#tables").getByLabel("Filter").fill(name.toUpperCase());
	const wanted = data.sites.rows.filter((row) => row.some((value) =>
		typeof value === "string" && value.toLowerCase().includes(name.toLowerCase()))).length;
	await showAll(page);
	expect(problems, "filtered rows", await page.locator("#tables tbody tr").count(), wanted);
	return problems;
}

async function brush(page, from, to) {
	await page.locator(".chart").scrollIntoViewIfNeeded();
	const box = await page.locator(".chart").boundingBox();
	await page.mouse.move(box.x + box.width * from, box.y + 90);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * to, box.y + 90, { steps: 4 });
	await page.mouse.up();
}

// Sums of flows in the steps that the handles show.
async function selected(page, flows) {
	const from = Number(await page.getByLabel("From").inputValue());
	const to = Number(await page.getByLabel("To", { exact: true }).inputValue());
	const sums = { TOTAL: 0, FREED: 0, ALLOCS: 0, "LIVE THEN": 0, rows: 0 };
	for (const flow of flows) {
		let happened = false;
		flow.at.forEach((step, i) => {
			happened = happened || step <= to && (step >= from ||
				flow.alloc[i] !== flow.freed[i]);
			sums["LIVE THEN"] += step <= to ? flow.alloc[i] - flow.freed[i] : 0;
			if (step < from || step > to)
				return;
			sums.TOTAL += flow.alloc[i];
			sums.FREED += flow.freed[i];
			sums.ALLOCS += flow.allocs[i];
		});
		sums.rows += happened;
	}
	return sums;
}

export async function checkBrush(page) {
	const problems = [];
	const data = await documentOf(page);
	await brush(page, 0.3, 0.6);
	await showAll(page);
	for (const table of ["sites", "caches"]) {
		await page.getByRole("button", { name: new RegExp(table, "i"), pressed: table === "sites" })
			.first().click();
		await showAll(page);
		const wanted = await selected(page, data[table].flows);
		for (const title of ["TOTAL", "FREED", "ALLOCS", "LIVE THEN"]) {
			const found = (await columnOf(page, title)).map(number);
			expect(problems, `${table}: ${title}`, found.reduce((a, b) => a + b, 0), wanted[title]);
		}
	}
	await page.locator("#graph").getByLabel("Value").selectOption("alloc");
	const stacks = await selected(page, data.stacks.flows.filter((f) => f.kind === "pages"));
	await page.locator("#graph").getByLabel("Kind").selectOption("pages");
	const status = await page.locator("#graph [role=status]").textContent();
	expect(problems, "stacks", number(status.match(/: ([\d ]+ bytes)/)[1]), stacks.TOTAL);
	await page.getByRole("button", { name: "Whole recording" }).click();
	expect(problems, "columns of the whole recording",
		await page.locator("#tables th", { hasText: "PEAK" }).count() > 0, true);
	return problems;
}

const CLASSES = { slab: ["kmalloc", "cache"], pages: ["pages"], percpu: ["percpu"] };

export async function checkGraph(page) {
	const problems = [];
	const data = await documentOf(page);
	const graph = page.locator("#graph");
	const status = async () => number((await graph.locator("[role=status]").textContent())
		.match(/: ([\d ]+ bytes)/)[1]);
	const isKnown = (value) => value !== "leaked" || data.leaks.sites;
	for (const value of ["live", "peak", "alloc", "leaked", "temporary"].filter(isKnown))
		for (const [kind, types] of Object.entries(CLASSES)) {
			await graph.getByLabel("Value").selectOption(value);
			await graph.getByLabel("Kind").selectOption(kind);
			const at = data.stacks.values.indexOf(value);
			const wanted = data.stacks.rows.filter((row) => types.includes(row[0]))
				.reduce((sum, row) => sum + row[2][at], 0);
			expect(problems, `${kind} ${value}`, await status(), wanted);
		}
	await graph.getByLabel("Kind").selectOption("pages");
	await graph.getByLabel("Value").selectOption("alloc");
	const at = data.stacks.values.indexOf("alloc");
	const rows = data.stacks.rows.filter((row) => row[0] === "pages" && row[1]);
	const word = data.stacks.frames[rows[0][1][0]][0];
	await graph.getByLabel("Search").fill(word);
	const wanted = rows.filter((row) => row[1].some((frame) =>
		data.stacks.frames[frame].join(" ").toLowerCase().includes(word.toLowerCase())))
		.reduce((sum, row) => sum + row[2][at], 0);
	expect(problems, "search", await status(), wanted);
	if (!await graph.locator("button.hit").count())
		problems.push("search marks nothing");
	await graph.getByLabel("Search").fill("");
	await graph.locator(".icicle button").nth(1).click();
	expect(problems, "width after zoom", await graph.locator(".icicle button").nth(1)
		.evaluate((button) => button.style.width), "100%");
	return problems;
}

// What leaks, according to the table of sites, is in the graph.
async function checkLeaked(page, data, problems) {
	const graph = page.locator("#graph");
	await graph.getByLabel("Value").selectOption("leaked");
	await graph.getByLabel("Kind").selectOption("slab");
	const at = (key) => data.sites.columns.findIndex((column) => column[0] === key);
	const wanted = data.sites.rows.find((row) =>
		data.leaks.sites[0].site.startsWith(`${row[at("site")]} func:`))[at("live")];
	const status = await graph.locator("[role=status]").textContent();
	expect(problems, "leaked bytes", number(status.match(/: ([\d ]+ bytes)/)[1]), wanted);
	await graph.getByLabel("Kind").selectOption("pages");
	expect(problems, "leaked pages", number((await graph.locator("[role=status]").textContent())
		.match(/: ([\d ]+ bytes)/)[1]), 0);
}

// Whether a column is on the screen without scrolling, and the details of each site can be opened.
async function checkWaste(page, problems) {
	const before = page.viewportSize();
	await page.setViewportSize({ width: 1400, height: 900 });
	const head = await page.locator("#tables th", { hasText: "REMEDY" }).boundingBox();
	const table = await page.locator("#tables .scroller").boundingBox();
	expect(problems, "REMEDY is on the screen", head.x >= table.x &&
		head.x + head.width <= table.x + table.width, true);
	await page.setViewportSize(before);
	const links = page.locator("#tables tbody td button");
	expect(problems, "links in the rows of waste", await links.count(),
		await page.locator("#tables tbody tr").count());
	const site = await links.last().textContent();
	await links.last().click();
	expect(problems, "details of a site that wastes",
		(await page.locator("#details h3").textContent()).startsWith(`${site} (`), true);
	expect(problems, "figures of the site", await page.locator("#details .figures").count(), 1);
}

// Sites that leak are marked and come first, also if another site grows more.
async function checkLeaks(page, problems) {
	const rows = await page.locator("#tables tbody tr").evaluateAll((found) => found.map((row) => ({
		isLeak: row.children[1].textContent === "leaks",
		isMarked: getComputedStyle(row.children[1]).color !== getComputedStyle(row.children[2]).color })));
	expect(problems, "sites that leak are marked", rows.some(({ isLeak }) => isLeak) &&
		rows.every(({ isLeak, isMarked }) => isLeak === isMarked), true);
	const sorted = await page.evaluate((sites) => {
		const { columns, rows, sort } = window.leaksTable({ sites });
		return rows.sort(window.compareRows(columns.find(({ key }) => key === sort), true));
	}, [["steady", 3], ["leaks", 1], ["leaks", 2], ["once", 4]].map(([verdict, growth]) =>
		({ site: "", verdict, growth_per_hour: growth })));
	expect(problems, "the order of growth", sorted.map((row) => row.growth_per_hour).join(), "2,1,4,3");
	expect(problems, "leaks in the summary", await page.locator("#facts .warn dt",
		{ hasText: /^leaks$/ }).count(), 1);
}

export async function checkConclusions(page) {
	const problems = [];
	const data = await documentOf(page);
	await checkLeaked(page, data, problems);
	await page.getByRole("button", { name: "Waste", exact: true, pressed: false }).click();
	expect(problems, "rows of waste", await page.locator("#tables tbody tr").count(),
		data.waste.rows.length);
	expect(problems, "saved", number((await columnOf(page, "SAVED"))[0]), data.waste.rows[0].saved);
	await checkWaste(page, problems);
	await page.getByRole("button", { name: "Leaks", exact: true }).click();
	expect(problems, "verdict", (await columnOf(page, "VERDICT"))[0], data.leaks.sites[0].verdict);
	await checkLeaks(page, problems);
	await page.locator("#tables td button").first().click();
	expect(problems, "report", await page.locator("#details pre").textContent(),
		data.leaks.sites[0].report);
	expect(problems, "ages", await page.locator("#details .ages li").count(),
		data.leaks.sites[0].ages.filter((age) => age.live).length);
	return problems;
}

// Opens a table. Return: its button.
async function openTable(page, title) {
	const button = page.getByRole("button", { name: title, exact: true });
	await button.click();
	return button;
}

// The map is of all memory of the machine: its fields add up to MemTotal.
async function checkMachine(page, problems, total) {
	const fields = await page.locator("#treemap button").evaluateAll((buttons) =>
		buttons.map((button) => button.title.match(/: ([\d ]+ bytes), /)[1]));
	expect(problems, "sum of the fields", fields.map(number).reduce((a, b) => a + b, 0), total);
	const text = await page.locator("#treemap .readout").textContent();
	expect(problems, "text below the map", number(text.match(/^MemTotal ([\d ]+ bytes): /)[1]),
		total);
}

// The present state of a machine: the map, and each table with its order and its filter.
export async function checkLive(page) {
	const problems = [];
	const data = await documentOf(page);
	await checkMachine(page, problems, data.memory.total);
	await page.locator("#treemap").getByLabel("Value").selectOption("used");
	const kind = data.memory.columns.findIndex(([key]) => key === "kind");
	const used = data.memory.rows.filter((row) => !row[kind].startsWith("free"))
		.reduce((sum, row) => sum + row[0], 0);
	expect(problems, "used memory", number((await page.locator("#treemap .readout").textContent())
		.match(/^used ([\d ]+ bytes): /)[1]), used);
	for (const [title, table, column] of [["Caches", "caches", "OBJECTS"],
		["Processes", "processes", "RSS"]]) {
		await openTable(page, title);
		const { rows, columns } = data[table];
		expect(problems, title, await page.locator("#tables tbody tr").count(), rows.length);
		const head = page.locator("#tables th", { hasText: new RegExp(`^${column}`) });
		await head.getByRole("button").click();
		expect(problems, `${title}: order`, await head.getAttribute("aria-sort"), "descending");
		expect(problems, `${title}: sorted`, isSorted((await columnOf(page, column)).map(number),
			false), true);
		const name = columns.findIndex(([key]) => ["cache", "name"].includes(key));
		await page.locator("#tables").getByLabel("Filter").fill(rows[0][name]);
		expect(problems, `${title}: filtered`, await page.locator("#tables tbody tr").count(),
			rows.filter((row) => row[name].includes(rows[0][name])).length);
		await page.locator("#tables td button").first().click();
		expect(problems, `${title}: details`, await page.locator("#details h3").textContent(),
			rows[0][name]);
	}
	await openTable(page, "Waste");
	expect(problems, "rows of waste", await page.locator("#tables tbody tr").count(),
		data.waste.rows.length);
	await openTable(page, "Leaks");
	expect(problems, "verdict", (await columnOf(page, "VERDICT"))[0], "leaks");
	await checkLeaks(page, problems);
	return problems;
}

// What is not in a recording is a field, so that the sum is MemTotal as well.
export async function checkRest(page) {
	const problems = [];
	const data = await documentOf(page);
	await page.locator("#treemap").getByLabel("Value").selectOption("machine");
	const fields = await page.locator("#treemap button").evaluateAll((buttons) =>
		buttons.map((button) => button.title));
	const rest = fields.find((text) => text.startsWith("free, or allocated before"));
	const wanted = data.memory.total - data.report.live.pages.live;
	expect(problems, "the rest", number(rest.match(/: ([\d ]+ bytes), /)[1]), wanted);
	const text = await page.locator("#treemap .readout").textContent();
	expect(problems, "sum", number(text.match(/^MemTotal ([\d ]+ bytes): /)[1]),
		data.memory.total);
	return problems;
}

// The details of each site with live objects have ages, which add up to it, or the reason why not.
export async function checkAges(page) {
	const problems = [];
	const data = await documentOf(page);
	const { ages } = data.sites;
	const column = (key) => data.sites.columns.findIndex(([name]) => name === key);
	const step = Math.ceil(data.sites.rows.length / 200);
	let checked = 0;
	for (let i = 0; i < data.sites.rows.length; i += step) {
		const row = data.sites.rows[i];
		const found = await page.evaluate((index) => {
			window.showDetails({ name: "sites", key: "site" }, { index });
			const part = document.getElementById("details");
			const total = (key) => [...part.querySelectorAll(".ages li")].reduce(
				(sum, item) => sum + Number(item.dataset[key]), 0);
			return { objects: total("objects"), bytes: total("bytes"), text: part.innerText };
		}, i);
		const wanted = ages.why ? [] : (ages.rows.find(([number]) => number === i) || [0, [], [], []]);
		const total = (values) => (values || []).reduce((a, b) => a + b, 0);
		const [objects, live] = [row[column("objects")], row[column("live")]];
		expect(problems, `objects of row ${i}`, found.objects, total(wanted[2]));
		expect(problems, `bytes of row ${i}`, found.bytes, total(wanted[3]));
		expect(problems, `reason of row ${i}`, found.text.includes(`The ages are not known: ${ages.why}.`),
			Boolean(ages.why));
		if (ages.why || !objects)
			continue;
		checked++;
		expect(problems, `note on other ages of row ${i}`,
			/The ages were read a moment later/.test(found.text), found.objects !== objects);
		if (data.report)
			expect(problems, `live of row ${i}`, [found.objects, found.bytes].join(), [objects, live].join());
	}
	expect(problems, "sites with ages", checked > 0, !ages.why);
	return problems;
}

export async function checkDetails(page) {
	const problems = [];
	await page.locator("#tables td button").first().click();
	const name = await page.locator("#tables td button").first().textContent();
	const details = page.locator("#details");
	expect(problems, "heading", (await details.locator("h3").textContent()).startsWith(name), true);
	if (await details.locator(".callers").count() !== 2)
		problems.push("no callers or no sizes");
	if (!await details.locator(".history").count())
		problems.push("no history");
	await details.getByRole("button", { name: "Close details" }).click();
	expect(problems, "closed", await details.locator("h3").count(), 0);
	return problems;
}
