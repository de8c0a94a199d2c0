/**
 * Our package names that are published on the npm registry, so that documents may install or run
 * them by name. Anyone may register a name that is not listed here: see docs/publishing.md before
 * you add one.
 */
export const publishedNames: readonly string[] = [];
