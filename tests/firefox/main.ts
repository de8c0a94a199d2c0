// `npm run test:firefox`: runs purchases, a decline, a cancellation and a reload in Firefox against the
// whole stack, and saves pictures in `.data/firefox`. `npm test` does not include it, so that it needs
// only one browser.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../scripts/build.ts';
import { compile } from '../../scripts/compile.ts';
import { dataDir } from '../../scripts/paths.ts';
import { startStack } from '../../scripts/stack.ts';
import { findFirefox, launchFirefox } from './firefox.ts';
import { FirefoxShopper } from './shopper.ts';
import { stories } from './stories.ts';

const pictures = join(dataDir, 'firefox');
let passed = 0;
let failed = 0;

const executable = findFirefox();
compile();
bundle();
rmSync(pictures, { recursive: true, force: true });
mkdirSync(join(pictures, 'stack'), { recursive: true });
const stack = await startStack({ dataDir: join(pictures, 'stack'), ports: 'any' });
try {
  const browser = await launchFirefox(executable);
  console.log(`${await browser.version()} at ${stack.shop}`);
  try {
    for (const [name, tell] of Object.entries(stories)) {
      const context = await browser.createBrowserContext();
      const shopper = await FirefoxShopper.arrive(context, stack);
      const picture = (what: string) =>
        shopper.page.screenshot({
          path: join(pictures, `${name}-${what}.png`.replaceAll(' ', '-')),
        });
      try {
        await tell(shopper, picture, () => FirefoxShopper.arrive(context, stack));
        passed += 1;
        console.log(`✓ ${name}`);
      } catch (error) {
        failed += 1;
        console.error(`✗ ${name}: ${String(error)}`);
        await picture('failed').catch(() => undefined);
      } finally {
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
} finally {
  await stack.stop();
  rmSync(join(pictures, 'stack'), { recursive: true, force: true });
}
console.log(`Pictures are in ${pictures}.`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
