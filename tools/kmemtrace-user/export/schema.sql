-- Tables of kmemtrace-user export --to sqlite. Documentation/exports.rst explains them.
--
-- A number that does not fit into 64 bits with a sign is a text "0x...", as all addresses
-- are. NULL: the recording does not have the value.

-- properties of the file: its version, the kernel, losses, and how exact the figures are
CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value
) WITHOUT ROWID;

-- what qualifies the figures: the lines that report -v prints
CREATE TABLE notes (
	id INTEGER PRIMARY KEY,
	note TEXT NOT NULL      -- a line
);

-- live memory of each class at the end; pages include those of slabs: do not add them up
CREATE TABLE classes (
	class TEXT PRIMARY KEY, -- slab, pages, percpu
	live INTEGER,           -- bytes
	objects INTEGER,        -- allocations
	uncertain INTEGER,      -- bytes by which the figure may be wrong
	largest INTEGER,        -- bytes of the largest allocation
	implicit INTEGER,       -- frees without an event, found at the next allocation
	unmatched INTEGER       -- frees of memory whose allocation is not in the file
) WITHOUT ROWID;

-- a row for each call site and kind of memory; the columns are those of report --json
CREATE TABLE sites (
	id INTEGER PRIMARY KEY,
	site TEXT NOT NULL,     -- function+offset [module] file:line
	kind TEXT NOT NULL,     -- kmalloc, cache, pages, percpu; of accounting slab, page, percpu
	live INTEGER,           -- bytes that are live at the end
	objects INTEGER,        -- allocations that are live at the end
	allocs INTEGER,         -- allocations that succeeded
	frees INTEGER,          -- frees of allocs
	total_requested INTEGER, -- bytes requested by allocs
	total_allocated INTEGER, -- bytes allocated by allocs
	total_waste_percent REAL, -- percentage of total_allocated that was not requested
	total_waste INTEGER,    -- total_allocated - total_requested
	requested INTEGER,      -- bytes requested by live allocations
	failed INTEGER,         -- allocations that failed
	remote_frees INTEGER,   -- frees on another CPU than that of the allocation
	implicit INTEGER,       -- frees without an event, found at the next allocation
	live_low INTEGER,       -- bounds of live after losses
	live_high INTEGER,
	objects_low INTEGER,    -- bounds of objects after losses
	objects_high INTEGER,
	peak INTEGER,           -- the highest live bytes
	peak_low INTEGER,       -- bounds of peak after losses
	peak_high INTEGER,
	oldest_ms INTEGER       -- accounting: age of the oldest live object, in ms
);

-- caches that events name; of the present state of accounting: caches with live objects
CREATE TABLE caches (
	id INTEGER PRIMARY KEY, -- number of the cache in the recording
	name TEXT NOT NULL,
	live INTEGER,           -- accounting: live bytes
	objects INTEGER         -- accounting: live objects
);

-- addresses of code: a row for each address, and for each module that was loaded there
CREATE TABLE code (
	id INTEGER PRIMARY KEY,
	address TEXT NOT NULL,
	name TEXT NOT NULL      -- function+offset [module] file:line
);

-- stack traces: a row for each function
CREATE TABLE stacks (
	id INTEGER NOT NULL,
	level INTEGER NOT NULL, -- 0: the innermost function
	code_id INTEGER NOT NULL, -- code.id
	PRIMARY KEY (id, level)
) WITHOUT ROWID;

-- threads, under each name that they had
CREATE TABLE threads (
	id INTEGER PRIMARY KEY,
	pid INTEGER NOT NULL,
	tgid INTEGER NOT NULL,  -- the process
	comm TEXT NOT NULL
);

-- flags of allocations
CREATE TABLE gfp (
	flags PRIMARY KEY,
	names TEXT NOT NULL     -- for example GFP_KERNEL|__GFP_ZERO
) WITHOUT ROWID;

-- the kinds of events
CREATE TABLE kinds (
	id INTEGER PRIMARY KEY,
	event TEXT NOT NULL,    -- the name in event tracing, for example kmem:kmalloc
	kind TEXT NOT NULL,     -- as in sites
	class TEXT NOT NULL,    -- as in classes
	is_free INTEGER NOT NULL
);

-- all events in their order
CREATE TABLE events (
	id INTEGER PRIMARY KEY, -- 1 is the first event
	kind_id INTEGER NOT NULL, -- kinds.id
	seq INTEGER NOT NULL,   -- number in the recording; wraps
	time INTEGER,           -- nanoseconds on the clock of the kernel log
	cpu INTEGER NOT NULL,
	call_site_id INTEGER NOT NULL, -- code.id
	ptr TEXT NOT NULL,      -- address of the memory; 0x0: the allocation failed
	bytes_req INTEGER,      -- allocations only
	bytes_alloc INTEGER,
	gfp_flags INTEGER,      -- gfp.flags
	node INTEGER,           -- requested NUMA node; -1: none
	cache_id INTEGER,       -- caches.id
	page_order INTEGER,     -- the block has 1 << page_order pages
	migratetype INTEGER,
	thread_id INTEGER,      -- threads.id
	context INTEGER,        -- mask, as common_flags of event tracing
	preempt_count INTEGER,
	cgroup INTEGER,
	stack_id INTEGER,       -- stacks.id
	site_id INTEGER,        -- sites.id of the allocation, also of a free
	allocation_id INTEGER   -- of a free: events.id of the allocation
);

-- losses
CREATE TABLE losses (
	event_id INTEGER NOT NULL, -- events.id of the next event; after the last one: its id + 1
	count INTEGER NOT NULL  -- number of lost events
);

-- memory that is live at the end: allocations, and the rest of blocks of pages that were
-- freed in part
CREATE TABLE live (
	address TEXT NOT NULL,
	class TEXT NOT NULL,    -- as in classes
	site_id INTEGER NOT NULL, -- sites.id
	bytes INTEGER NOT NULL,
	requested INTEGER NOT NULL,
	cpu INTEGER NOT NULL,   -- CPU of the allocation
	is_part INTEGER NOT NULL, -- 1: a further part of a block: sites.objects does not count it
	is_unsure INTEGER NOT NULL, -- 1: the free may be among the lost events
	allocation_id INTEGER   -- events.id of the allocation; NULL: not known, or a part
);

-- events with their names
CREATE VIEW event_list AS
SELECT events.id, events.time, events.cpu, kinds.event, kinds.kind, kinds.is_free,
	code.name AS function, events.ptr, events.bytes_req, events.bytes_alloc,
	gfp.names AS gfp, events.node, caches.name AS cache, threads.pid, threads.comm,
	events.stack_id, sites.site
FROM events
JOIN kinds ON kinds.id = events.kind_id
JOIN code ON code.id = events.call_site_id
LEFT JOIN gfp ON gfp.flags = events.gfp_flags
LEFT JOIN caches ON caches.id = events.cache_id
LEFT JOIN threads ON threads.id = events.thread_id
LEFT JOIN sites ON sites.id = events.site_id;
