import { mapLinks, type Page } from '../markdown.ts';
import { read } from '../resolve.ts';

/**
 * Returns the tables of a README that a test compares with the code. Links start from the
 * repository's folder.
 */
function tablesOf(folder: string): string {
  const readme = read(`${folder}/README.md`);
  const parts = ['variables', 'exits'].map((name) => {
    const [, text] = new RegExp(`<!-- ${name} -->([^]*?)<!-- end -->`).exec(readme) ?? [];
    if (text === undefined) throw new Error(`${folder}/README.md has no part "${name}".`);
    return text.replace('<!-- oxfmt-ignore -->', '').trim();
  });
  return mapLinks(parts.join('\n\n'), ({ target, text }) => {
    const from = target.startsWith('#') ? `${folder}/README.md` : `${folder}/`;
    return `[${text}](${from}${target})`;
  });
}

/** Returns the page with both programs' variables. */
export function variablesPage(): Page {
  return {
    id: 'reference/variables',
    markdown: `# Variables

Both programs are configured by environment variables. A secret, marked with \\*, can also come from a file: set
\`<name>_FILE\` to its path. A program reports all problems of its configuration at once, without values.

## Companion

${tablesOf('packages/server')}

## Reconciliation

${tablesOf('packages/reconciliation')}
`,
  };
}
