import { keyFence } from '@financing-checkout/key-fence';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

/** Takes the indentation out of our templates: it is for the reader of the source. */
function compactTemplates(): Plugin {
  return {
    name: 'compact-templates',
    transform(code, id) {
      if (!id.includes('/src/views/')) return null;
      return {
        code: code
          .replace(/css`([^`]*)`/g, (_, sheet: string) => {
            const compact = sheet.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' ');
            return `css\`${compact.replace(/ ?([{};,>]) ?/g, '$1').replace(/: /g, ':')}\``;
          })
          .replace(/>\n\s+</g, '><')
          .replace(/\n\s+/g, '\n'),
        map: null,
      };
    },
  };
}

/** Imports are imports: there is no style sheet of a chunk to load beforehand, which Vite provides for. */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
  };
}

// Lit has a development build, which is what a page would get were this left to the surroundings.
process.env.NODE_ENV = 'production';

/**
 * What a page can load from a CDN: `financing-checkout.js`, the element with Lit in it, registered
 * on load; and beside it what that loads when a shopper acts.
 */
export default defineConfig({
  plugins: [compactTemplates(), plainImports(), keyFence()],
  build: {
    outDir: 'cdn',
    sourcemap: true,
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    rolldownOptions: {
      input: 'src/define.ts',
      preserveEntrySignatures: 'allow-extension',
      output: {
        format: 'es',
        entryFileNames: 'financing-checkout.js',
        // A folder for the languages: a page needs one of them at most.
        chunkFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.includes('/texts/locales/')
            ? 'texts/[name]-[hash:6].js'
            : '[name]-[hash:6].js',
      },
    },
  },
});
