import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { root } from '../../scripts/paths.ts';

/** The contestants, each by the name of the file that mounts it. */
export const contestants = ['financing-checkout', 'adyen', 'braintree'] as const;
export type Contestant = (typeof contestants)[number];

/** None of them has style sheets of its chunks, which is what Vite would load them by a helper for. */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
  };
}

/** Builds them all for production in one and the same way. */
export async function buildContestants(outDir: string): Promise<void> {
  // Lit has a development build, which is what it would be were this left to the surroundings.
  process.env.NODE_ENV = 'production';
  for (const name of [...contestants, 'define']) {
    await build({
      configFile: false,
      logLevel: 'error',
      root: join(root, 'bench'),
      plugins: [plainImports()],
      build: {
        outDir: join(outDir, name),
        emptyOutDir: true,
        target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
        modulePreload: false,
        rolldownOptions: {
          input: join(root, 'bench', 'widget', `${name}.js`),
          output: { entryFileNames: 'main.js', assetFileNames: '[name][extname]' },
        },
      },
    });
  }
}
