import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A named entry in the custom elements manifest. */
export interface Named {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
}

export interface Member extends Named {
  readonly kind: 'field' | 'method';
  readonly privacy?: 'public' | 'protected' | 'private';
  readonly static?: boolean;
  attribute?: string;
}

/** The element itself. */
export interface ElementDeclaration extends Named {
  readonly kind: string;
  readonly tagName?: string;
  readonly customElement?: boolean;
  summary?: string;
  attributes?: (Named & { readonly fieldName?: string })[];
  members?: Member[];
  events?: Named[];
  readonly slots?: Named[];
  readonly cssParts?: Named[];
  readonly cssProperties?: Named[];
}

/** The members of a custom elements manifest that the project uses (schema 1.0.0). */
export interface Manifest {
  readonly schemaVersion: string;
  readonly modules: {
    path: string;
    readonly declarations: ElementDeclaration[];
    exports: {
      readonly kind: string;
      readonly name: string;
      readonly declaration: { module?: string; readonly name?: string };
    }[];
  }[];
}

export const folder = fileURLToPath(new URL('..', import.meta.url));

/** The public sources: the elements, their definitions and their events. */
const sources = [
  'src/views/element.ts',
  'src/flow/flow-element.ts',
  'src/financing-checkout.ts',
  'src/define.ts',
  'src/message/financing-message.ts',
  'src/message/define.ts',
  'src/prequalify/financing-prequalify.ts',
  'src/prequalify/define.ts',
  'src/prequalify/outcome-event.ts',
  'src/events/*.ts',
];

/** The elements by tag name, with the file that registers each. */
export const elements = {
  'financing-checkout': {
    name: 'FinancingCheckout',
    module: 'dist/financing-checkout.js',
    definition: 'dist/define.js',
  },
  'financing-message': {
    name: 'FinancingMessage',
    module: 'dist/message/financing-message.js',
    definition: 'dist/message/define.js',
  },
  'financing-prequalify': {
    name: 'FinancingPrequalify',
    module: 'dist/prequalify/financing-prequalify.js',
    definition: 'dist/prequalify/define.js',
  },
} as const;
export type Tag = keyof typeof elements;

/** Analyzes the sources. The class docblock and the public members are the contract. */
export function analyze(): Manifest {
  const require = createRequire(import.meta.url);
  const analyzer = join(
    dirname(require.resolve('@custom-elements-manifest/analyzer/package.json')),
    'cem.js',
  );
  const made = mkdtempSync(join(tmpdir(), 'manifest-'));
  try {
    execFileSync(
      process.execPath,
      [
        analyzer,
        'analyze',
        '--litelement',
        '--quiet',
        '--outdir',
        relative(folder, made),
        '--globs',
        ...sources,
      ],
      { cwd: folder, stdio: 'pipe' },
    );
    const text = readFileSync(join(made, 'custom-elements.json'), 'utf8');
    return publish(JSON.parse(text) as Manifest);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** Returns the elements of a manifest, starting with the checkout. */
export function elementsOf(manifest: Manifest): readonly ElementDeclaration[] {
  return (Object.keys(elements) as Tag[]).map((tag) => elementOf(manifest, tag));
}

export function elementOf(
  { modules }: Manifest,
  tag: Tag = 'financing-checkout',
): ElementDeclaration {
  const found = modules
    .flatMap(({ declarations }) => declarations)
    .find(({ tagName }) => tagName === tag);
  if (!found) throw new Error(`There is no ${tag} in the manifest.`);
  return found;
}

/** Removes private members, and replaces source paths with published ones. */
function publish(manifest: Manifest): Manifest {
  const built = (path: string) => path.replace(/^\/?src\/(.*)\.ts$/, 'dist/$1.js');
  for (const module of manifest.modules) {
    module.path = built(module.path);
    module.exports = module.exports.map((one) => {
      const { module: from } = one.declaration;
      return { ...one, declaration: { ...one.declaration, ...(from && { module: built(from) }) } };
    });
    // The analyzer cannot follow the function that registers a tag.
    for (const [name, { definition, ...declaration }] of Object.entries(elements)) {
      if (module.path !== definition) continue;
      module.exports.push({ kind: 'custom-element-definition', name, declaration });
    }
    for (const declaration of module.declarations) {
      const { attributes, members, events } = declaration;
      if (members) {
        declaration.members = members.filter(
          ({ name, privacy }) =>
            !/^(?:[#_]|connectedMoveCallback$)/.test(name) && privacy !== 'private',
        );
      }
      if (attributes) {
        declaration.attributes = attributes.filter(({ name }) => !name.startsWith('_'));
      }
      // The analyzer mistakes the constructor's argument for the name of an event.
      if (events) declaration.events = events.filter(({ description }) => description);
    }
  }
  return manifest;
}
