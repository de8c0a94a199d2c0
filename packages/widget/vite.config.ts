import { keyFence } from '@financing-checkout/key-fence';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { editorData, publishedHashes } from './metadata/plugins.ts';

/** Takes out of our templates what is for the reader of the source alone. */
function compactTemplates(): Plugin {
  const sheet = (text: string) =>
    text
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,>~!]) ?/g, '$1')
      .replace(/: /g, ':')
      .replace(/\b0\./g, '.')
      .replaceAll(';}', '}')
      // Our own properties have an initial each; nobody outside reads them.
      .replace(/--_(\w)[\w-]*/g, '--_$1');
  // No text of ours stands beside a tag, so no space there is one that is seen.
  const markup = (text: string) => text.replace(/\s+/g, ' ').replace(/ ?([<>]) ?/g, '$1');
  return {
    name: 'compact-templates',
    transform(code, id) {
      if (!/\/src\/(views\/|financing-checkout\.ts)/.test(id)) return null;
      return {
        code: code.replace(
          /\b(css|html)`([^`]*)`/g,
          (_, tag: string, text: string) => `${tag}\`${(tag === 'css' ? sheet : markup)(text)}\``,
        ),
        map: null,
      };
    },
  };
}

/**
 * Imports are imports: there is no style sheet of a chunk to load beforehand, which Vite provides
 * for by wrapping each.
 */
function plainImports(): Plugin {
  const wrapped =
    /__vitePreload\((?:async )?\(\) => (?:\{[^}]*\} = await )?(import\([^)]+\))[^)]*\)/g;
  return {
    name: 'plain-imports',
    renderChunk: (code) => ({
      code: code
        .replace(wrapped, '$1')
        .replace(/(\w+ as __vitePreload|__vitePreload as \w+), /, ''),
      map: null,
    }),
  };
}

/** Words are no code: there is nothing in a file of them to debug, and no map of it to name. */
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

// Lit has a development build, which is what a page would get were this left to the surroundings.
process.env.NODE_ENV = 'production';

/**
 * One set of files.
 * @param entry what the page loads
 * @param digits of the digest in the names of what that loads
 */
function output(folder: string, entry: string, digits: number) {
  const name = `[name]-[hash:${digits}].js`;
  return {
    format: 'es' as const,
    minify: true,
    entryFileNames: `${folder}${entry}.js`,
    // A folder for the languages, of which a page needs one at most, and one for what no shopper
    // ever loads.
    chunkFileNames: ({ facadeModuleId }: { facadeModuleId?: string | null }) => {
      const module = facadeModuleId ?? '';
      if (/\/texts\/(locales\/|en\.ts)/.test(module)) return `${folder}texts/${name}`;
      if (/\/(doctor|scenario)\//.test(module)) return `${folder}development/${name}`;
      return folder + name;
    },
  };
}

/**
 * What a page can load from a CDN: `financing-checkout.js`, the element with Lit in it, registered
 * on load; and beside it what that loads when a shopper acts. In `immutable/` the same once more,
 * where each name has a digest of what is in the file: for pages that pin it (`sri.json`).
 */
export default defineConfig({
  plugins: [
    compactTemplates(),
    plainImports(),
    maplessTexts(),
    keyFence(),
    publishedHashes(),
    editorData(),
  ],
  build: {
    outDir: 'cdn',
    sourcemap: true,
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    // Some hundred bytes less than the minifier of the build itself. A function that is written into
    // the one place that calls it is shorter, and compresses worse.
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
