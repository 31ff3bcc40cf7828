/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of the page as one JSON document. Its size is limited, whatever the recording:
 * what exceeds a limit is one sum for each kind of memory.
 */
#ifndef DOCUMENT_HTML_H
#define DOCUMENT_HTML_H

#include "html/content.h"

struct json_t;

/** document_make() - make the document */
struct json_t *document_make(const struct content *s);

#endif /* DOCUMENT_HTML_H */
