// `npm run size`: prints the size of the files that a CDN serves, in bytes after brotli (quality 11).
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { bundle } from './build.ts';
import { compile } from './compile.ts';
import { dataDir, root } from './paths.ts';

const widget = join(root, 'packages', 'widget');

const brotli = (file: string) => brotliCompressSync(readFileSync(file)).byteLength;

/** Measures lit's share: bundles only the names that the widget imports, in the same way. */
async function litBytes(): Promise<number> {
  const require = createRequire(join(widget, 'package.json'));
  const outDir = join(dataDir, 'size');
  const entry = '\0lit-alone';
  await build({
    configFile: false,
    logLevel: 'error',
    root: widget,
    plugins: [
      {
        name: 'lit-alone',
        resolveId: (id) => (id === 'lit-alone' ? entry : undefined),
        load: (id) =>
          id === entry
            ? `export { LitElement, html } from ${JSON.stringify(require.resolve('lit'))};`
            : undefined,
      },
    ],
    build: {
      outDir,
      emptyOutDir: true,
      rolldownOptions: {
        input: 'lit-alone',
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: 'lit.js' },
      },
    },
  });
  const bytes = brotli(join(outDir, 'lit.js'));
  rmSync(outDir, { recursive: true });
  return bytes;
}

compile();
bundle();
const cdn = join(widget, 'cdn');
const first = brotli(join(cdn, 'financing-checkout.js'));
// Files that a complete checkout in English loads. The service's SDK and other languages replace some of
// them, and no shopper loads the files for developers.
const loaded = readdirSync(cdn, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^(financing-checkout|attempt-[^/]+|texts.en-[^/]+)\.js$/.test(name),
);
if (loaded.length !== 3) throw new Error(`A checkout is three files, not ${loaded.join(', ')}.`);
for (const name of loaded) {
  const code = readFileSync(join(cdn, name), 'utf8');
  for (const [, needed = ''] of code.matchAll(/\b(?:from|import)\s*["'`](\.[^"'`]+)/g)) {
    const path = join(dirname(name), needed);
    if (!loaded.includes(path)) throw new Error(`${name} needs ${path}, which is not counted.`);
  }
}
const complete = loaded.reduce((sum, name) => sum + brotli(join(cdn, name)), 0);
/** Files of `<financing-prequalify>`, which is self-contained, in English and with a hosted page. */
const own = readdirSync(join(cdn, 'prequalify'), { recursive: true, encoding: 'utf8' }).filter(
  (name) =>
    name.endsWith('.js') &&
    !/^(sdk-|keyboard-|popup-|redirect-|take-return-|development.|texts.(?!en-))/.test(name),
);
const prequalify = own.reduce((sum, name) => sum + brotli(join(cdn, 'prequalify', name)), 0);
const lit = await litBytes();
// The message as its own file; `src/message/size.node.test.ts` of the widget limits what it adds.
const message = brotli(join(cdn, 'message', 'financing-message.js'));
console.log(`Before the click ${first} bytes, complete ${complete}; lit's share ${lit}.`);
console.log(`The message ${message} bytes, ${message - lit} beyond lit.`);
console.log(`financing-prequalify ${prequalify} bytes, ${prequalify - lit} beyond lit.`);
console.log(
  JSON.stringify({
    bench: 'size',
    widgetBrotliBytes: complete,
    litBrotliBytes: lit,
    messageBrotliBytes: message,
    prequalifyBrotliBytes: prequalify,
  }),
);
