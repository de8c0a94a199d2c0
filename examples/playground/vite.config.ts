import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { hashedText, programmeFileSchema } from '@financing-checkout/contract/storefront';
import { keyFence } from '@financing-checkout/key-fence';
import { defineConfig, type Plugin } from 'vite';

const widgetFolder = new URL('../../packages/widget/', import.meta.url);

/** The example shop's programmes, as a companion's response to `GET /programmes`. */
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
  return files('programmes', { programmes: answer });
}

/** The widget's manifest, its themes, and its files for pages without a bundler. */
function widget(): Plugin {
  const read = (path: string) => () => readFileSync(new URL(path, widgetFolder), 'utf8');
  const scripts = readdirSync(new URL('cdn/', widgetFolder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !path.startsWith('immutable'))
    .map((path) => path.replaceAll('\\', '/'));
  return files('widget', {
    ...Object.fromEntries(scripts.map((path) => [`widget/${path}`, read(`cdn/${path}`)])),
    'custom-elements.json': read('dist/custom-elements.json'),
    ...Object.fromEntries(
      ['calm', 'contrast', 'soft'].map((name) => [
        `themes/${name}.css`,
        read(`themes/${name}.css`),
      ]),
    ),
  });
}

/** Language tags of the widget's texts. */
const languages = readdirSync(new URL('dist/texts/locales/', widgetFolder))
  .filter((name) => name.endsWith('.js'))
  .map((name) => name.replace('.js', ''));

const types: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript' };

/** Puts files next to the page, in development and in the build. */
function files(name: string, contents: Readonly<Record<string, () => string>>): Plugin {
  return {
    name: `playground:${name}`,
    configureServer(server) {
      for (const [path, read] of Object.entries(contents)) {
        server.middlewares.use(`/${path}`, (_, response) => {
          const type = types[path.split('.').at(-1) ?? ''] ?? 'application/json';
          response.setHeader('content-type', type).end(read());
        });
      }
    },
    generateBundle() {
      for (const [fileName, read] of Object.entries(contents)) {
        this.emitFile({ type: 'asset', fileName, source: read() });
      }
    },
  };
}

export default defineConfig({
  base: './',
  define: { 'import.meta.env.LANGUAGES': JSON.stringify(languages.join(' ')) },
  // The build fails if a file for browsers contains the private key or the companion's code.
  plugins: [keyFence(), programmes(), widget()],
  build: { outDir: 'dist/page', target: 'es2022', modulePreload: { polyfill: false } },
});
