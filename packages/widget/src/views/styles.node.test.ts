import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const found = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();

const views = readdirSync(new URL('.', import.meta.url))
  .filter((file) => !file.includes('.test.'))
  .map(read)
  .join('\n');
const element = read('../flow/flow-element.ts') + read('../financing-checkout.ts');
const readme = read('../../README.md');
const documented = found(element, /@cssproperty (--[\w-]+)/g);
const themes = readdirSync(new URL('../../themes/', import.meta.url));

describe('custom properties', () => {
  it('are documented if and only if they are used', () => {
    expect(documented.length).toBeGreaterThan(8);
    expect(found(views, /var\((--financing-[\w-]+)/g)).toEqual(documented);
    expect(documented.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });

  it('that are internal are set once and used', () => {
    const set = found(views, /(--_[\w-]+):/g);
    expect(set.length).toBeGreaterThan(4);
    expect(found(views, /var\((--_[\w-]+)\)/g)).toEqual(set);
    // The build shortens each name to its initial.
    expect(new Set(set.map((name) => name.at('--_'.length))).size).toBe(set.length);
  });
});

describe('parts', () => {
  it('are documented, and in the README', () => {
    const parts = found(element, /@csspart ([\w-]+)/g);
    expect(parts).toEqual(expect.arrayContaining(found(views, / part="([\w-]+)"/g)));
    expect(parts.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('themes', () => {
  it('exist in three variants', () =>
    expect(themes).toEqual(['calm.css', 'contrast.css', 'soft.css']));

  it.each(themes)('%s sets only documented properties of the elements', (theme) => {
    const sheet = read(`../../themes/${theme}`).replaceAll(/\/\*.*?\*\//gs, '');
    const [, body] =
      /^\s*financing-checkout,\s+financing-prequalify \{([^{}]*)\}\s*$/.exec(sheet) ?? [];
    const names = found(body ?? '', /([\w-]+)\s*:/g);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !documented.includes(name))).toEqual([]);
  });
});
