/*
 * Takes a screenshot of every state in the playground at 320, 768 and 1280 pixels, in light, dark
 * and forced colors, in English, German and Arabic, and saves it in .data/states. Arguments select
 * the screenshots whose names contain all of them:
 * `node scripts/photograph-states.ts checkout-declined 320`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { chromiumArgs, findChromium } from './chromium.ts';
import { dataDir } from './paths.ts';
import { offeredStates, servePlayground } from './playground.ts';

const folder = join(dataDir, 'states');
const wanted = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const served = await servePlayground();
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs() });
const page = await browser.newPage();
let taken = 0;

/** Takes a screenshot of a state, unless the arguments exclude it. */
async function photograph(
  element: string,
  state: string,
  width: number,
  look: string,
  language: string,
) {
  const name = [element, state, width, look, language].join('-');
  if (!wanted.every((word) => `-${name}-`.includes(`-${word}-`))) return;
  const scheme = look === 'dark' ? 'dark' : 'light';
  const query = { element: `financing-${element}`, state, scheme, language, bare: '' };
  await page.setViewportSize({ width, height: width === 320 ? 568 : 720 });
  await page.emulateMedia({ forcedColors: look === 'forced' ? 'active' : 'none' });
  await page.goto(`${served.url}?${new URLSearchParams(query).toString()}`);
  await page.locator('html[data-reached]').waitFor();
  await page.screenshot({ path: join(folder, `${name}.png`) });
  taken += 1;
}

try {
  for (const element of ['message', 'prequalify', 'checkout']) {
    const states = await offeredStates(page, served.url, `financing-${element}`);
    for (const state of states) {
      for (const width of [320, 768, 1280]) {
        for (const look of ['light', 'dark', 'forced']) {
          for (const language of ['en', 'de', 'ar']) {
            await photograph(element, state, width, look, language);
          }
        }
      }
    }
  }
} finally {
  await browser.close();
  await served.close();
}
process.stdout.write(`${taken} pictures in ${folder}\n`);
