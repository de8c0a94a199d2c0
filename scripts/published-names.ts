/**
 * Our names that are published at the npm registry, so that documents may install or run them by name. A name
 * that is not here may be registered by anybody: see docs/publishing.md before you add one.
 */
export const publishedNames: readonly string[] = [];
