import type { Page } from '../markdown.ts';
import { table } from '../markdown.ts';
import { read } from '../resolve.ts';

interface Named {
  name: string;
  description?: string;
  type?: { text: string };
  default?: string;
  fieldName?: string;
}

interface Member extends Named {
  kind: 'field' | 'method';
  privacy?: string;
  readonly?: boolean;
  attribute?: string;
  parameters?: Named[];
  return?: { type?: { text: string } };
}

interface Declaration {
  name: string;
  tagName?: string;
  summary?: string;
  description?: string;
  attributes?: Named[];
  members?: Member[];
  events?: Named[];
  slots?: Named[];
  cssParts?: Named[];
  cssProperties?: Named[];
}

interface Manifest {
  modules: { declarations?: Declaration[] }[];
}

const manifestFile = 'packages/widget/dist/custom-elements.json';
const code = (text: string) => `\`${text.replaceAll(/\s*\n\s*/g, ' ')}\``;
const typeOf = (one: Named) => (one.type === undefined ? '' : code(one.type.text));

function section(title: string, head: readonly string[], rows: readonly string[][]): string {
  return rows.length === 0 ? '' : `## ${title}\n\n${table(head, rows)}`;
}

function signature({ name, parameters = [], return: result }: Member): string {
  const list = parameters.map((one) => `${one.name}: ${one.type?.text ?? 'unknown'}`).join(', ');
  return code(`${name}(${list}): ${result?.type?.text ?? 'void'}`);
}

function elementPage(element: Declaration, events: ReadonlyMap<string, Declaration>): Page {
  const { attributes = [], cssParts = [], cssProperties = [], members = [], slots = [] } = element;
  const shown = members.filter(({ privacy }) => privacy === undefined || privacy === 'public');
  const carried = ({ type }: Named) =>
    (events.get(type?.text ?? '')?.members ?? [])
      .filter((one) => one.kind === 'field' && one.privacy !== 'private')
      .map((one) => code(one.name))
      .join(', ');
  const text = [
    `# <${element.tagName}>`,
    element.summary ?? '',
    element.description ?? '',
    'Made from the custom-elements manifest. [The elements](/storefront/elements/) explains how to use it, and the [playground](/try/) shows it.',
    section(
      'Attributes',
      ['attribute', 'type', 'meaning'],
      attributes.map((one) => [code(one.name), typeOf(one), one.description ?? '']),
    ),
    section(
      'Properties',
      ['property', 'type', 'meaning'],
      shown
        .filter(({ kind }) => kind === 'field')
        .map((one) => [code(one.name), typeOf(one), one.description ?? '']),
    ),
    section(
      'Methods',
      ['method', 'meaning'],
      shown
        .filter(({ kind }) => kind === 'method')
        .map((one) => [signature(one), one.description ?? '']),
    ),
    section(
      'Events',
      ['event', 'carries', 'meaning'],
      (element.events ?? []).map((one) => [code(one.name), carried(one), one.description ?? '']),
    ),
    section(
      'Slots',
      ['slot', 'meaning'],
      slots.map((one) => [one.name === '' ? 'default' : code(one.name), one.description ?? '']),
    ),
    section(
      'CSS parts',
      ['part', 'meaning'],
      cssParts.map((one) => [code(one.name), one.description ?? '']),
    ),
    section(
      'CSS properties',
      ['property', 'default', 'meaning'],
      cssProperties.map((one) => [
        code(one.name),
        one.default === undefined ? '' : code(one.default),
        one.description ?? '',
      ]),
    ),
  ];
  return {
    id: `reference/${element.tagName}`,
    markdown: `${text.filter(Boolean).join('\n\n')}\n`,
  };
}

/** Returns a page for each element, from the manifest in the widget's build. */
export function elementPages(): Page[] {
  const { modules } = JSON.parse(read(manifestFile)) as Manifest;
  const declarations = modules.flatMap(({ declarations: own = [] }) => own);
  const classes = new Map(declarations.map((one) => [one.name, one]));
  return declarations
    .filter(({ tagName }) => tagName !== undefined)
    .map((element) => elementPage(element, classes));
}
