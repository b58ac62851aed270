/* html_page.h - what does not change from page to page: what is in page/, embedded by
 * cmake/bundle.cmake and cmake/embed.cmake. Neither holds "</", so that they can stand between tags as they
 * are. */
#ifndef PS_REPORT_DOCUMENT_HTML_PAGE_H
#define PS_REPORT_DOCUMENT_HTML_PAGE_H

extern const char ps_html_css[], ps_html_js[];
/* In base64: the page allows these two and nothing else. */
extern const char ps_html_css_sha256[], ps_html_js_sha256[];

#endif
