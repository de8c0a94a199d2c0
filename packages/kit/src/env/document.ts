import type { VariableTable } from './variable.ts';

/** Returns the names of the variables that hold a secret. */
export function secretNamesOf(table: VariableTable): string[] {
  return Object.keys(table).filter((name) => table[name]?.isSecret);
}

/**
 * Returns a Markdown document with the table of variables regenerated between the comments `<!--
 * variables -->` and `<!-- end -->`. A test compares the result with the document to check that the
 * document is up to date.
 * @throws {TypeError} if the document has no such comments
 */
export function withVariables(document: string, table: VariableTable): string {
  const rows = Object.entries(table).map(([name, entry]) => {
    const { fallback, isRequired, isSecret, otherwise, text } = entry;
    const standard = fallback === undefined ? 'none' : `\`${fallback}\``;
    return [
      `\`${name}\`${isSecret ? ' \\*' : ''}`,
      isRequired ? 'required' : (otherwise ?? standard),
      text,
    ];
  });
  return withTable(document, 'variables', ['variable', 'default', 'meaning'], rows);
}

/**
 * Same as {@link withVariables}, for a program's exit codes, after `<!-- exits -->`. @param
 * meanings by code
 */
export function withExitCodes(
  document: string,
  meanings: Readonly<Record<number, string>>,
): string {
  return withTable(document, 'exits', ['exit code', 'means'], Object.entries(meanings));
}

function withTable(
  document: string,
  name: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const begin = `<!-- ${name} -->\n\n`;
  const from = document.indexOf(begin);
  const to = document.indexOf('\n\n<!-- end -->', from);
  if (from < 0 || to < 0) throw new TypeError(`The document has no place "${begin.trim()}".`);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const table = ['<!-- oxfmt-ignore -->', ...lines].join('\n');
  return document.slice(0, from + begin.length) + table + document.slice(to);
}
