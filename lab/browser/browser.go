// Package browser holds the pages in a real browser: the site, the reports and the page of
// the emulator, as make browser makes them. Its test drives a Chromium that is installed, and
// runs the rules of axe in each page.
package browser
