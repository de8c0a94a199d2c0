import { readFileSync } from 'node:fs';

/** Returns the style sheet from the README for messages whose element is not defined yet. */
export function reservingSheet(): string {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const sheet = /```css\n(financing-message:not\(:defined[^]*?)```/.exec(readme)?.[1];
  if (!sheet) throw new Error('The README has no style sheet for an undefined message.');
  return sheet;
}
