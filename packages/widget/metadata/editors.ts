import { prequalifyScenarios, scenarios } from '../src/model/scenario.ts';
import { elementsOf } from './manifest.ts';
import type { ElementDeclaration, Manifest, Named } from './manifest.ts';

/** The values of attributes that accept a list of values. */
function valuesOf(tag: string | undefined): Readonly<Record<string, readonly string[]>> {
  return {
    environment: ['uat', 'sandbox', 'production'],
    presentation: ['auto', 'embedded', 'popup', 'redirect', 'sdk'],
    scenario: tag === 'financing-prequalify' ? prequalifyScenarios : Object.keys(scenarios),
  };
}

const plain = ({ name, description = '' }: Named) => ({ name, description });
const isFlag = ({ type }: Named) => type?.text === 'boolean';

/** Returns custom data for HTML in VS Code (`html.customData` in its settings; format 1.1). */
export function vsCodeData(manifest: Manifest): object {
  return { version: 1.1, tags: elementsOf(manifest).map(vsCodeTag) };
}

function vsCodeTag(element: ElementDeclaration): object {
  const values = valuesOf(element.tagName);
  return {
    name: element.tagName,
    description: element.description,
    attributes: (element.attributes ?? []).map((attribute) => ({
      ...plain(attribute),
      // VS Code's value set "v" means an attribute without a value.
      ...(isFlag(attribute) && { valueSet: 'v' }),
      ...(values[attribute.name] && {
        values: values[attribute.name]?.map((name) => ({ name })),
      }),
    })),
  };
}

/** Returns web-types for JetBrains IDEs, which read the field `web-types` of package.json. */
export function webTypes(manifest: Manifest, name: string, version: string): object {
  return {
    $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
    name,
    version,
    'js-types-syntax': 'typescript',
    'description-markup': 'markdown',
    contributions: { html: { elements: elementsOf(manifest).map(webType) } },
  };
}

function webType(element: ElementDeclaration): object {
  const { attributes = [], cssParts = [], cssProperties = [], events = [], members = [] } = element;
  const values = valuesOf(element.tagName);
  return {
    name: element.tagName,
    description: element.description,
    attributes: attributes.map((attribute) => ({
      ...plain(attribute),
      value: {
        type: values[attribute.name] ?? attribute.type?.text ?? 'string',
        ...(isFlag(attribute) && { kind: 'plain', required: false }),
      },
    })),
    slots: (element.slots ?? []).map(plain),
    css: { parts: cssParts.map(plain), properties: cssProperties.map(plain) },
    js: {
      events: events.map((event) => ({ ...plain(event), type: event.type?.text })),
      properties: members
        .filter((member) => member.kind === 'field' && !member.static)
        .map((member) => ({ ...plain(member), type: member.type?.text })),
    },
  };
}
