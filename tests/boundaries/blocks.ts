import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tree.ts';

/** Returns the examples of a document in a language, such as `ts`. */
export function blocksOf(file: string, language: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const blocks = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return Array.from(text.matchAll(blocks), ([, code = '']) => code);
}
