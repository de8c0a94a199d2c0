/** One of an element's attributes or tokens, as described in its manifest. */
export interface Setting {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isFlag: boolean;
}

/** An element in the widget package, from its custom-elements manifest. */
export interface ElementDescription {
  readonly tag: string;
  readonly summary: string;
  readonly attributes: readonly Setting[];
  readonly tokens: readonly Setting[];
  readonly events: readonly string[];
}

interface Member {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
}

interface Declaration {
  readonly tagName?: string;
  readonly summary?: string;
  readonly attributes?: readonly Member[];
  readonly cssProperties?: readonly Member[];
  readonly events?: readonly { readonly name?: string }[];
}

const settings = (members: readonly Member[] = []): Setting[] =>
  members.map(({ name, description, type }) => ({
    name,
    description,
    isFlag: type?.text === 'boolean',
  }));

// The build puts the manifest next to this page.
const answer = await fetch('custom-elements.json');
const { modules } = (await answer.json()) as { modules: { declarations: Declaration[] }[] };
const declarations = modules.flatMap((module) => module.declarations);

/** The elements, in the order in which a shopper encounters them. */
export const elements: readonly ElementDescription[] = [
  'financing-message',
  'financing-prequalify',
  'financing-checkout',
].flatMap((tag) => {
  const found = declarations.find(({ tagName }) => tagName === tag);
  if (!found) return [];
  const { attributes, cssProperties, events = [], summary = '' } = found;
  return [
    {
      tag,
      summary,
      attributes: settings(attributes),
      tokens: settings(cssProperties),
      events: events.flatMap(({ name }) => name ?? []),
    },
  ];
});
