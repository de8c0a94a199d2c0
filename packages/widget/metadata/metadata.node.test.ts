/* The data for editors lists exactly the public members in the source. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FinancingCheckout } from '../src/index.ts';
import { FinancingPrequalify } from '../src/prequalify/index.ts';
import { vsCodeData, webTypes } from './editors.ts';
import { analyse, elementOf, folder } from './manifest.ts';
import type { Named } from './manifest.ts';

const manifest = analyse();

/** Returns sources without their comments, which prove nothing. */
const read = (isWanted: (name: string) => boolean) =>
  globSync('src/**/*.ts', { cwd: folder })
    .filter((name) => !/\.(test|fixture)\.ts$/.test(name) && isWanted(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*\*?.*?\*\//gs, ''))
    .join('\n');
const isPrequalify = (name: string) => name.includes('/prequalify/');
/** Files of the checkout that the other element does not use. */
const isCheckoutOnly = (name: string) =>
  /\/(checkout|phone)\b|order-change|data-update|\/outcome-event/.test(name);

const names = (all: readonly Named[] = []) => all.map(({ name }) => name).sort();

describe.each([
  {
    tag: 'financing-checkout',
    Element: FinancingCheckout,
    source: read((name) => !isPrequalify(name)),
    eventCount: 6,
    methods: ['start', 'resume', 'close', 'reset'],
  },
  {
    tag: 'financing-prequalify',
    Element: FinancingPrequalify,
    source: read((name) => isPrequalify(name) || !isCheckoutOnly(name)),
    eventCount: 4,
    methods: ['start', 'close', 'reset'],
  },
] as const)('the manifest of $tag', ({ tag, Element, source, eventCount, methods }) => {
  const element = elementOf(manifest, tag);
  const found = (pattern: RegExp) => [
    ...new Set([...source.matchAll(pattern)].flatMap((match) => match.slice(1).filter(Boolean))),
  ];

  it('lists the observed attributes', () => {
    expect(names(element.attributes)).toEqual([...Element.observedAttributes].sort());
  });

  it('lists the public properties and methods', () => {
    const declared = [
      ...Object.keys(Element.properties).filter((name) => !name.startsWith('_')),
      'version',
      ...Object.getOwnPropertyNames(Element.prototype).filter((name) =>
        (methods as readonly string[]).includes(name),
      ),
    ];
    expect(names(element.members)).toEqual(declared.sort());
  });

  it('lists the fired events', () => {
    const types = found(/static readonly type = '([\w-]+)'/g);
    expect(types).toHaveLength(eventCount);
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
    expect(names(element.cssProperties)).toEqual(found(/var\(\s*(--financing-[\w-]+)/g).sort());
  });

  it('describes each of them', () => {
    const { attributes, cssParts, cssProperties, events, members, slots } = element;
    const all = [attributes, cssParts, cssProperties, events, members, slots].flatMap(
      (one): readonly Named[] => one ?? [],
    );
    expect(all.filter(({ description }) => !description?.trim())).toEqual([]);
  });

  it('contains published files and the tag', () => {
    const paths = manifest.modules.map(({ path }) => path);
    expect(paths.every((path) => /^dist\/.*\.js$/.test(path))).toBe(true);
    expect(manifest.modules.flatMap((module) => module.exports)).toContainEqual({
      kind: 'custom-element-definition',
      name: tag,
      declaration:
        tag === 'financing-checkout'
          ? { name: 'FinancingCheckout', module: 'dist/financing-checkout.js' }
          : {
              name: 'FinancingPrequalify',
              module: 'dist/prequalify/financing-prequalify.js',
            },
    });
  });
});

describe('the data for editors', () => {
  const element = elementOf(manifest);

  it('contains every attribute for VS Code, with its values', () => {
    const { tags } = vsCodeData(manifest) as {
      tags: { attributes: (Named & { values?: Named[]; valueSet?: string })[] }[];
    };
    const attributes = tags[0]?.attributes;
    expect(names(attributes)).toEqual(names(element.attributes));
    const of = (name: string) => attributes?.find((one) => one.name === name);
    expect(names(of('environment')?.values)).toEqual(['production', 'sandbox', 'uat']);
    const scenarios = tags[1]?.attributes.find(({ name }) => name === 'scenario')?.values;
    expect(names(scenarios)).toEqual(['declined', 'not-found', 'pending', 'prequalified']);
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
    const { properties } = FinancingCheckout;
    const own = Object.keys(properties).filter((name) => !name.startsWith('_'));
    expect(names(one?.js.properties)).toEqual(own.sort());
  });
});
