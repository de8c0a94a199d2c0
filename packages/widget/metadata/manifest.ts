import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A named entry of the custom elements manifest. */
export interface Named {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
}

/** A member of the class. */
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

/** The public sources: the elements, their definitions, their events. */
const sources = [
  'src/financing-checkout.ts',
  'src/define.ts',
  'src/message/financing-message.ts',
  'src/message/define.ts',
  'src/events/*.ts',
];

/** Analyses the sources: the docblock of the class and its public members are the contract. */
export function analyse(): Manifest {
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

/** Returns the elements of a manifest, the checkout first. */
export function elementsOf({ modules }: Manifest): readonly ElementDeclaration[] {
  return modules
    .flatMap(({ declarations }) => declarations)
    .filter(({ tagName }) => tagName)
    .sort((a, b) => (a.tagName ?? '').localeCompare(b.tagName ?? ''));
}

/** Returns an element of a manifest. */
export function elementOf(manifest: Manifest, tag = 'financing-checkout'): ElementDeclaration {
  const found = elementsOf(manifest).find(({ tagName }) => tagName === tag);
  if (!found) throw new Error(`There is no ${tag} in the manifest.`);
  return found;
}

/** Removes private members, and replaces source paths by published ones. */
function publish(manifest: Manifest): Manifest {
  const built = (path: string) => path.replace(/^\/?src\/(.*)\.ts$/, 'dist/$1.js');
  for (const module of manifest.modules) {
    module.path = built(module.path);
    module.exports = module.exports.map((one) => {
      const { module: from } = one.declaration;
      if (one.kind !== 'custom-element-definition' || one.name.startsWith('financing-')) {
        return {
          ...one,
          declaration: { ...one.declaration, ...(from && { module: built(from) }) },
        };
      }
      // The analyzer takes the name of the constant for the tag.
      const declaration = { name: 'FinancingCheckout', module: 'dist/financing-checkout.js' };
      return { ...one, name: 'financing-checkout', declaration };
    });
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
      // The analyzer takes the constructor's argument for the event's name.
      if (events) declaration.events = events.filter(({ description }) => description);
    }
  }
  return manifest;
}
