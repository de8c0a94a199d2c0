import { keyFence } from '@financing-checkout/key-fence';
import { build, defineConfig } from 'vite';
import type { Plugin, UserConfig } from 'vite';
import { editorData, publishedHashes } from './metadata/plugins.ts';

/** Removes whitespace and comments from templates, and shortens internal custom properties. */
function compactTemplates(): Plugin {
  const sheet = (text: string) =>
    text
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,>~!]) ?/g, '$1')
      .replace(/: /g, ':')
      .replace(/\b0\./g, '.')
      .replaceAll(';}', '}')
      // Each internal property has a unique initial, and no other code reads it.
      .replace(/--_(\w)[\w-]*/g, '--_$1')
      .trim();
  // No template has text next to a tag, so whitespace there is never visible.
  const markup = (text: string) => text.replace(/\s+/g, ' ').replace(/ ?([<>]) ?/g, '$1');
  return {
    name: 'compact-templates',
    transform(code, id) {
      if (!/\/src\/(views\/|message\/|flow\/|financing-\w+\.ts)/.test(id)) return null;
      return {
        code: code
          .replace(
            /\b(css|html)`([^`]*)`/g,
            // A style sheet has no escapes, so its `String.raw` tag makes no difference.
            (_, tag: string, text: string) =>
              tag === 'css' ? `\`${sheet(text)}\`` : `html\`${markup(text)}\``,
          )
          // Each protected member of an element has a unique initial, and no other code reads it.
          .replace(
            /((?:\bthis|\bsuper)\.|^\s+(?:get )?)_(?!phase|fenced)([a-z])[a-zA-Z]+/gm,
            '$1_$2',
          ),
        map: null,
      };
    },
  };
}

/**
 * Removes Lit's support for `static styles`: the elements adopt their style sheets themselves,
 * because a style sheet belongs to one document.
 */
function noStaticStyles(): Plugin {
  return {
    name: 'no-static-styles',
    enforce: 'pre',
    load: (id) =>
      id.endsWith('/@lit/reactive-element/css-tag.js')
        ? `export const adoptStyles = () => {}, getCompatibleStyle = (style) => style;
           export const CSSResult = Object, css = String.raw, unsafeCSS = String;
           export const supportsAdoptingStyleSheets = true;`
        : null,
  };
}

/**
 * Unwraps dynamic imports. Vite wraps them to load a chunk's style sheet first, but no chunk has
 * one.
 */
function plainImports(): Plugin {
  const wrapped =
    /__vitePreload\((?:async )?\(\) => (?:\{[^}]*\} = await )?(import\([^)]+\)(?:\.then\(\(\w+\) => \w+\.\w+\))?)[^)]*\)/g;
  return {
    name: 'plain-imports',
    renderChunk: (code) => ({
      code: code
        .replace(wrapped, '$1')
        .replace(/(\w+ as __vitePreload|__vitePreload as \w+)(?:, )?/, ''),
      map: null,
    }),
  };
}

/**
 * Removes the texts of other elements from the language files, which contain those of all elements.
 */
function textsOf(parts: readonly string[]): Plugin {
  return {
    name: 'texts-of',
    enforce: 'pre',
    transform: {
      filter: { id: /\/texts\/locales\// },
      handler: (code) => ({
        code: code.replace(/^export const (\w+)/gm, (declared, name: string) =>
          parts.includes(name) ? declared : `const ${name}`,
        ),
        map: null,
      }),
    },
  };
}

/** Removes the source maps of language files, which contain no code to debug. */
function maplessTexts(): Plugin {
  return {
    name: 'mapless-texts',
    generateBundle(_, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        if (!/(^|\/)texts\//.test(name)) continue;
        if (file.type === 'chunk')
          file.code = file.code.replace(/\/\/# sourceMappingURL=.*\n?$/, '');
        else Reflect.deleteProperty(bundle, name);
      }
    },
  };
}

// Set explicitly because the environment might otherwise select Lit's development build.
process.env.NODE_ENV = 'production';

/**
 * Returns the output options for one set of files.
 * @param entry name of the file that the page loads
 * @param digits length of the hash in the names of the other files
 */
function output(folder: string, entry: string, digits: number) {
  const name = `[name]-[hash:${digits}].js`;
  return {
    format: 'es' as const,
    minify: true,
    entryFileNames: `${folder}${entry}.js`,
    // Separate folders for languages, of which a page needs at most one, and for development.
    chunkFileNames: ({ facadeModuleId }: { facadeModuleId?: string | null }) => {
      const module = facadeModuleId ?? '';
      if (module.includes('/texts/locales/')) return `${folder}texts/${name}`;
      if (/\/(doctor|simulation)\.ts$/.test(module)) return `${folder}development/${name}`;
      return folder + name;
    },
  };
}

const shared = {
  sourcemap: true,
  target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
  modulePreload: false,
  // Saves a few hundred bytes compared with the default minifier. `inline: false`, because inlining
  // a function into its only caller shortens the code but compresses worse.
  minify: 'terser',
  terserOptions: {
    module: true,
    ecma: 2020,
    compress: {
      passes: 3,
      inline: false,
      unsafe_arrows: true,
      unsafe_methods: true,
      pure_getters: true,
    },
  },
} satisfies UserConfig['build'];

/** @param texts parts of the language files that the element shows */
const plugins = (...texts: string[]) => [
  textsOf(texts),
  compactTemplates(),
  noStaticStyles(),
  plainImports(),
  maplessTexts(),
  keyFence(),
  publishedHashes(),
];

/** The elements for pages that may have no checkout, with their file names and their texts. */
const others = {
  message: { name: 'financing-message', texts: ['message'] },
  prequalify: { name: 'financing-prequalify', texts: ['checkout', 'prequalify'] },
};

/**
 * Builds the other elements after the checkout, each into its own folder, so that a page loads only
 * the elements it has.
 */
function otherBuilds(): Plugin {
  let outDir = '';
  return {
    name: 'other-builds',
    configResolved: (config) => {
      outDir = config.build.write ? config.build.outDir : '';
    },
    closeBundle: async () => {
      if (!outDir) return;
      for (const [folder, { name, texts }] of Object.entries(others)) {
        await build({
          configFile: false,
          root: import.meta.dirname,
          logLevel: 'error',
          plugins: plugins(...texts),
          build: {
            ...shared,
            outDir,
            emptyOutDir: false,
            rolldownOptions: {
              input: `src/${folder}/define.ts`,
              preserveEntrySignatures: 'allow-extension',
              output: [
                output(`${folder}/`, name, 6),
                output(`immutable/${folder}/`, `${name}-[hash:10]`, 10),
              ],
            },
          },
        });
      }
    },
  };
}

/**
 * Builds the files for a CDN. `financing-checkout.js` contains Lit and the element, and registers
 * it; the other files load when a shopper acts. `immutable/` contains a second copy for pages that
 * pin files by hash (`sri.json`): each file name contains a hash of the content.
 */
export default defineConfig({
  plugins: [...plugins('checkout'), editorData(), otherBuilds()],
  build: {
    ...shared,
    outDir: 'cdn',
    rolldownOptions: {
      input: 'src/define.ts',
      preserveEntrySignatures: 'allow-extension',
      output: [
        output('', 'financing-checkout', 6),
        output('immutable/', 'financing-checkout-[hash:10]', 10),
      ],
    },
  },
});
