import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { root } from '../../scripts/paths.ts';

/** The contestants, by the name of the file that mounts them. */
export const contestants = ['financing-checkout', 'adyen', 'braintree'] as const;
export type Contestant = (typeof contestants)[number];

/** No contestant has style sheets for its chunks, so Vite's preload helper is not needed. */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
  };
}

/** Builds all contestants for production in the same way. */
export async function buildContestants(outDir: string): Promise<void> {
  // Without this setting, the environment may select Lit's development build.
  process.env.NODE_ENV = 'production';
  for (const name of [...contestants, 'define', 'message']) {
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
