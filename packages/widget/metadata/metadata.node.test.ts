/* The editor data lists exactly the public members in the source. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FinancingCheckout } from '../src/index.ts';
import { FinancingMessage } from '../src/message/index.ts';
import { FinancingPrequalify } from '../src/prequalify/index.ts';
import { vsCodeData, webTypes } from './editors.ts';
import { analyze, elementOf, elements, folder, type Tag } from './manifest.ts';
import type { Named } from './manifest.ts';

const manifest = analyze();

/** Returns sources without comments: a name in a comment is not a use. */
const sourceOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: folder })
    .filter((name) => !/\.(test|fixture)\.ts$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*\*?.*?\*\//gs, ''))
    .join('\n');
const isOfMessage =
  /^src\/(message\/|texts\/message|events\/(message|qualify)-|funnel|events\/step-)/;
const withoutMessage = globSync('src/**/*.ts', { cwd: folder }).filter(
  (name) => !isOfMessage.test(name),
);
const isOfPrequalify = (name: string) => name.startsWith('src/prequalify/');
/** Checkout files that `<financing-prequalify>` does not use. */
const isOfCheckout =
  /\/(checkout|phone)\b|order-change|data-update|confirm-event|events\/outcome-event/;

const names = (all: readonly Named[] = []) => all.map(({ name }) => name).sort();
const foundIn = (source: string, pattern: RegExp) => [
  ...new Set([...source.matchAll(pattern)].flatMap((match) => match.slice(1).filter(Boolean))),
];

describe.each([
  {
    tag: 'financing-checkout' as Tag,
    Class: FinancingCheckout,
    source: sourceOf(...withoutMessage.filter((name) => !isOfPrequalify(name))),
    members: ['version', 'start', 'resume', 'close', 'reset'],
    events: 7,
    attributes: [] as string[],
  },
  {
    tag: 'financing-prequalify' as Tag,
    Class: FinancingPrequalify,
    source: sourceOf(
      ...withoutMessage.filter((name) => isOfPrequalify(name) || !isOfCheckout.test(name)),
    ),
    members: ['version', 'start', 'close', 'reset'],
    events: 4,
    attributes: [],
  },
  {
    tag: 'financing-message' as Tag,
    Class: FinancingMessage,
    source: sourceOf('src/message/**/*.ts', 'src/events/{message,qualify}-*.ts'),
    members: ['open', 'close'],
    events: 3,
    attributes: [
      ...['financing-page-url', 'prequalify', 'profile-id', 'public-key'],
      ...['qualify-href', 'sdk-url', 'sku', 'widget-type'],
    ],
  },
])('the manifest of $tag', ({ tag, Class, source, members, events, attributes: read }) => {
  const element = elementOf(manifest, tag);
  const found = (pattern: RegExp) => foundIn(source, pattern);

  it('lists the observed attributes and those that are read on demand', () => {
    expect(names(element.attributes)).toEqual([...Class.observedAttributes, ...read].sort());
    const named = found(/(?:getAttribute|attribute)\('([\w-]+)'\)/g);
    expect(read.filter((name) => !named.includes(name))).toEqual([]);
  });

  it('lists the public properties and methods', () => {
    const declared = [
      ...[...Class.elementProperties.keys()].map(String).filter((name) => !name.startsWith('_')),
      ...members,
    ];
    expect(names(element.members)).toEqual(declared.sort());
  });

  it('lists the fired events', () => {
    const types = found(/static readonly type = '([\w-]+)'/g);
    expect(types).toHaveLength(events);
    expect(names(element.events)).toEqual(types.sort());
  });

  it('lists the rendered parts', () => {
    expect(names(element.cssParts)).toEqual(
      found(/\bpart="([\w-]+)"|\bpart\.add\('([\w-]+)'\)/g).sort(),
    );
  });

  it('lists the rendered slots', () => {
    const written = found(/<slot\s+name=(?:"([\w-]+)"|\$\{([^}]+)\})/g);
    const slots = written.flatMap((one) => one.match(/(?<=')[\w-]+(?=')/g) ?? [one]);
    expect(names(element.slots)).toEqual(slots.filter((name) => name !== 'none').sort());
  });

  it('lists the used custom properties', () => {
    // Both elements use the dialog styles.
    const used = foundIn(source + sourceOf('src/views/*.ts'), /var\(\s*(--financing-[\w-]+)/g);
    expect(names(element.cssProperties)).toEqual(used.sort());
  });

  it('has a description for each entry', () => {
    const { attributes, cssParts, cssProperties, events, members, slots } = element;
    const all = [attributes, cssParts, cssProperties, events, members, slots].flatMap(
      (one): readonly Named[] => one ?? [],
    );
    expect(all.filter(({ description }) => !description?.trim())).toEqual([]);
  });
});

describe('the manifest', () => {
  it('lists the published files and the tags', () => {
    const paths = manifest.modules.map(({ path }) => path);
    expect(paths.every((path) => /^dist\/.*\.js$/.test(path))).toBe(true);
    for (const [tag, { name, module }] of Object.entries(elements)) {
      expect(manifest.modules.flatMap((module) => module.exports)).toContainEqual({
        kind: 'custom-element-definition',
        name: tag,
        declaration: { name, module },
      });
    }
  });
});

describe('the data for editors', () => {
  const element = elementOf(manifest);

  it('contains all elements', () => {
    const { tags } = vsCodeData(manifest) as { tags: Named[] };
    expect(tags.map(({ name }) => name)).toEqual(Object.keys(elements));
  });

  it('contains every attribute for VS Code, with its values', () => {
    const { tags } = vsCodeData(manifest) as {
      tags: (Named & { attributes: (Named & { values?: Named[]; valueSet?: string })[] })[];
    };
    const attributes = tags[0]?.attributes;
    expect(names(attributes)).toEqual(names(element.attributes));
    const of = (name: string) => attributes?.find((one) => one.name === name);
    expect(names(of('environment')?.values)).toEqual(['production', 'sandbox', 'uat']);
    const prequalify = tags.find(({ name }) => name === 'financing-prequalify');
    const scenarios = prequalify?.attributes.find(({ name }) => name === 'scenario')?.values;
    expect(names(scenarios)).toEqual([
      'declined',
      'expired',
      'not-found',
      'pending',
      'prequalified',
      'unavailable',
    ]);
    expect(of('disabled')?.valueSet).toBe('v');
  });

  it('contains everything for JetBrains', () => {
    const types = webTypes(manifest, 'a-name', '1.2.3') as {
      contributions: {
        html: {
          elements: {
            attributes: Named[];
            slots: Named[];
            css: { parts: Named[]; properties: Named[] };
            js: { events: Named[]; properties: Named[] };
          }[];
        };
      };
    };
    const [one] = types.contributions.html.elements;
    expect(types).toMatchObject({ name: 'a-name', version: '1.2.3' });
    expect(names(one?.attributes)).toEqual(names(element.attributes));
    expect(names(one?.slots)).toEqual(names(element.slots));
    expect(names(one?.css.parts)).toEqual(names(element.cssParts));
    expect(names(one?.css.properties)).toEqual(names(element.cssProperties));
    expect(names(one?.js.events)).toEqual(names(element.events));
    const own = [...FinancingCheckout.elementProperties.keys()]
      .map(String)
      .filter((name) => !name.startsWith('_'));
    expect(names(one?.js.properties)).toEqual(own.sort());
  });
});
