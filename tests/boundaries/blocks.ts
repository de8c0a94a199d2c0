import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tree.ts';

/** Returns the examples of a document in a language, such as `ts`. */
export function blocksOf(file: string, language: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const blocks = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return Array.from(text.matchAll(blocks), ([, code = '']) => code);
}

/** A block of shell commands, and what the comment before it says. */
export interface Commands {
  code: string;
  /** Why nobody runs it as a test. */
  notRun?: string;
  /** What it prints once it is ready, if it runs until somebody ends it. */
  until?: string;
}

/**
 * Returns the blocks of shell commands of a document. CONTRIBUTING.md lists their comments.
 * @throws {Error} if a block has no such comment
 */
export function commandsIn(markdown: string): Commands[] {
  const blocks = markdown.matchAll(/(?:^<!-- ([^\n]*) -->\n\n?)?^```sh\n([^]*?)^```$/gm);
  return Array.from(blocks, ([, comment = '', code = '']) => {
    const [, run, until, notRun] = /^(?:(run)(?: until: (.+))?|not run: (.+))$/.exec(comment) ?? [];
    if (run !== undefined) return until === undefined ? { code } : { code, until };
    if (notRun !== undefined) return { code, notRun };
    throw new Error(`No comment says whether these commands are run:\n${code}`);
  });
}

/** Returns the first line of each table that a page shows as text, or without some of its cells. */
export function brokenTablesIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/^ *```[^]*?^ *```$/gm, '');
  return Array.from(prose.matchAll(/(?:^ *\|.*\n?)+/gm), ([table]) => table).flatMap((table) => {
    const lines = table.trim().split('\n');
    const rows = lines.map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
    const [head = [], delimiter = []] = rows;
    const isTable =
      delimiter.every((cell) => /^ *:?-+:? *$/.test(cell)) &&
      rows.length > 1 &&
      rows.every(({ length }) => length === head.length);
    return isTable ? [] : lines.slice(0, 1);
  });
}
