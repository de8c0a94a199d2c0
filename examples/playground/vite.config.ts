import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hashedText, programmeFileSchema } from '@financing-checkout/contract';
import { keyFence } from '@financing-checkout/key-fence';
import { defineConfig, type Plugin } from 'vite';

/** The programmes of the example shop, as a companion answers `GET /programmes`. */
function programmes(): Plugin {
  const file = new URL('../shop/programmes.json', import.meta.url);
  const answer = () => {
    const { programmes: entries } = programmeFileSchema.parse(
      JSON.parse(readFileSync(file, 'utf8')),
    );
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    return JSON.stringify({
      programmes: entries.map((entry) => ({
        ...entry,
        texts: entry.texts.map((text) => ({ ...text, sha256: sha256(hashedText(text)) })),
      })),
    });
  };
  return {
    name: 'playground:programmes',
    configureServer(server) {
      server.middlewares.use('/programmes', (_, response) => {
        response.setHeader('content-type', 'application/json').end(answer());
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'programmes', source: answer() });
    },
  };
}

export default defineConfig({
  base: './',
  // The build fails when a file for browsers contains the private key or code of the companion.
  plugins: [keyFence(), programmes()],
  build: { outDir: 'dist/page', target: 'es2022', modulePreload: { polyfill: false } },
});
