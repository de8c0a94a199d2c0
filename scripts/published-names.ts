/**
 * Names of ours at the npm registry that we have published, which documents may therefore install or run by name. A name
 * that is not here may be registered by anybody: see docs/publishing.md before you add one.
 */
export const publishedNames: readonly string[] = [];
