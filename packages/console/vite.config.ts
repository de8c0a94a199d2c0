import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { icons } from './icons.config.ts';

const OUTPUT = 'dist/page';

/** Writes a Brotli copy of each text file, which the server sends to browsers that accept it. */
function compressed(): Plugin {
  return {
    name: 'console-compressed',
    apply: 'build',
    closeBundle() {
      const folder = join(import.meta.dirname, OUTPUT);
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(?:js|css|svg|html)$/.test(file)) continue;
        const path = join(folder, file);
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
      }
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [icons(), compressed()],
  build: {
    outDir: OUTPUT,
    target: 'es2024',
    // The page's CSP forbids data: URLs for scripts and styles.
    assetsInlineLimit: 0,
    // The target browsers support modulepreload natively, and the polyfill would be inline.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Nearly every page uses these: one script compresses better than ten small ones.
            {
              name: 'parts',
              test: /\/src\/(?:api|parts)\/(?!chart|bars|typed-amount)/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
});
