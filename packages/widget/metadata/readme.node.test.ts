/* The README documents everything a storefront can use, and exactly the messages for developers. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { problems } from '@financing-checkout/contract/storefront';
import { describe, expect, it } from 'vitest';
import { documentedReturn } from '../src/documented-return.fixture.ts';
import { prequalifyScenarios } from '../src/model/scenario.ts';
import * as development from '../src/development.ts';
import { languages } from '../src/texts/languages.ts';
import { prequalifyLocked } from '../src/texts/locked.ts';
import { analyze, elementsOf, folder } from './manifest.ts';
import type { Named } from './manifest.ts';

const file = join(folder, 'README.md');
const readme = readFileSync(file, 'utf8');
/** The code in the README. */
const code = (readme.match(/```[^]*?```|`[^`\n]+`/g) ?? []).join('\n');
const unnamed = (names: readonly string[]) =>
  names.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code));
const names = (all: readonly Named[] = []) => all.map(({ name }) => name);

const manifest = analyze();
const elements = elementsOf(manifest);
const { FinancingCheckoutHarness, scenarios } = development;

describe('the README documents', () => {
  it.each(['attributes', 'members', 'events', 'slots', 'cssParts', 'cssProperties'] as const)(
    'the %s of the elements',
    (kind) => {
      for (const element of elements) {
        expect(names(element[kind]).length).toBeGreaterThan(kind === 'slots' ? 0 : 2);
        expect(unnamed(names(element[kind]))).toEqual([]);
      }
      expect(names(elements[0]?.[kind]).length).toBeGreaterThan(2);
    },
  );

  it('the properties of the events', () => {
    const events = manifest.modules
      .filter(({ path }) => /\/events\/|-event\.js$/.test(path))
      .flatMap(({ declarations }) => declarations)
      .filter(({ kind }) => kind === 'class');
    expect(events).toHaveLength(12);
    const carried = events.flatMap(({ members = [] }) =>
      names(members.filter((one) => !one.static && one.privacy !== 'private')),
    );
    expect(unnamed(carried)).toEqual([]);
  });

  it('the helpers for developers', () => {
    const pressed = Object.getOwnPropertyNames(FinancingCheckoutHarness.prototype).filter(
      (name) => name !== 'constructor',
    );
    expect(unnamed([...pressed, 'requests', ...Object.keys(development)])).toEqual([]);
    expect(unnamed([...Object.keys(scenarios), ...prequalifyScenarios])).toEqual([]);
  });

  it('the languages', () => {
    const english = new Intl.DisplayNames('en', { type: 'language' });
    const spoken = Object.keys(languages).map((tag) => english.of(tag) ?? tag);
    const list = new Intl.ListFormat('en').format(spoken.sort());
    const place = /(?<=<!-- languages -->\n\n)[^]*?(?=\n\n<!-- end of languages -->)/;
    const isUpdate = process.env.UPDATE_DOCS !== undefined;
    if (isUpdate) writeFileSync(file, readme.replace(place, `${list}.`));
    else expect(place.exec(readme)?.[0]).toBe(`${list}.`);
  });

  it('the attributes that exclude the script from optimizers, in each tag of it', () => {
    const table = /### Optimizers[^]*?\n\n(\|[^]*?)\n\n/.exec(readme)?.[1] ?? '';
    const attributes = [...table.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, attribute = '']) => attribute),
    );
    expect(attributes.length).toBeGreaterThan(5);
    const root = join(folder, '../..');
    const tags = globSync(
      '{README.md,packages/widget/README.md,examples/integrations/pages/*.html}',
      {
        cwd: root,
      },
    ).flatMap(
      (name) =>
        readFileSync(join(root, name), 'utf8').match(
          /<script[^>]*\/financing-checkout\.js"[^>]*>/g,
        ) ?? [],
    );
    expect(tags.length).toBeGreaterThan(3);
    for (const tag of tags) {
      expect(attributes.filter((attribute) => !tag.includes(attribute))).toEqual([]);
      expect(tag.indexOf('data-cfasync')).toBeLessThan(tag.indexOf('src='));
    }
  });

  it('the hash of the script for a return, which has at most 300 bytes', () => {
    const { hash, script } = documentedReturn(readme);
    expect(Buffer.byteLength(script)).toBeLessThanOrEqual(300);
    const actual = `sha256-${createHash('sha256').update(script).digest('base64')}`;
    if (process.env.UPDATE_DOCS !== undefined) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(hash, actual));
    } else expect(hash).toBe(actual);
  });

  it('the texts that a shop cannot change', () => {
    const said = prequalifyLocked.filter((name) => !/^(lang|dir)$|Title$|Other$|Cart$/.test(name));
    expect(unnamed(said)).toEqual([]);
  });

  it('exactly the developer messages', () => {
    const source = globSync('src/**/*.ts', { cwd: folder })
      .filter((name) => !/\.(test|fixture)\.ts$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const thrown = source.match(/\b(?:new \w+Error|report)\([^;]*?;/g) ?? [];
    const sent = [...thrown.join('').matchAll(/'([a-z]+(?:-[a-z]+)*)'/g)].map(([, one]) => one);
    const anchors = [...readme.matchAll(/<a id="([\w-]+)"><\/a>`\1`/g)].map(([, id]) => id ?? '');
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.filter((one) => one !== undefined && !anchors.includes(one))).toEqual([]);
    const known = (id: string) => id in problems || source.includes(`'${id}'`);
    expect(anchors.filter((id) => !known(id))).toEqual([]);
  });
});
