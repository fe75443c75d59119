// Package browser tests the pages in a real browser: the site, the reports and the emulator's
// page, as make browser makes them. Its tests drive an installed Chromium and run the rules of
// axe on each page.
package browser
