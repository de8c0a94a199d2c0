import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judgingModules, rulesVersion, versionOf } from './rules-version.ts';

const packages = fileURLToPath(new URL('../../../', import.meta.url));

describe('the version of the rules', () => {
  it('covers the rules, the SQL that replaces them, and the words of the contract', () => {
    const paths = [...judgingModules().keys()].map((path) => relative(packages, path));
    expect(paths).toEqual(
      expect.arrayContaining([
        'reconciliation-rules/dist/status/paid-in-full.js',
        'reconciliation-rules/dist/matching/matching.js',
        'reconciliation-rules/dist/checks/postings.js',
        'reconciliation/dist/statuses/triage.js',
        'reconciliation/dist/statuses/contract-terms.js',
        'reconciliation/dist/statuses/judge-batch.js',
        'contract/dist/reconciliation/words.js',
      ]),
    );
  });

  it('changes with each of the modules', () => {
    const modules = judgingModules();
    for (const [path, text] of modules) {
      expect(versionOf(new Map(modules).set(path, `${text} `)), path).not.toBe(rulesVersion());
    }
  });

  it('is the same in another folder and in any order of modules', () => {
    const moved = [...judgingModules()].map(([path, text]) => [`/elsewhere${path}`, text] as const);
    expect(versionOf(new Map(moved.toReversed()))).toBe(rulesVersion());
  });

  it('is the same for source and build', async () => {
    const url = new URL('../../dist/statuses/rules-version.js', import.meta.url);
    const asBuilt = (await import(url.href)) as { rulesVersion: () => string };
    expect(asBuilt.rulesVersion()).toBe(rulesVersion());
  });
});
