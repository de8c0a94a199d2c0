/*
 * Takes a screenshot of every state at 320, 768 and 1280 pixels, in light, dark and forced colors,
 * in English, German and Arabic, and saves it in the project's .data/states folder. Arguments
 * select the screenshots whose names contain all of them: `npm run photograph -- declined 320`.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { launchOptions } from '../chromium.config.ts';
import { addressOf, messageStates, widths } from './looks.ts';
import { serveBuiltStates } from './serve.ts';
import { states } from './states.ts';

const folder = fileURLToPath(new URL('../../../.data/states/', import.meta.url));
const wanted = process.argv.slice(2);
const looks = ['light', 'dark', 'forced'] as const;

mkdirSync(folder, { recursive: true });
const served = await serveBuiltStates();
const browser = await chromium.launch(launchOptions);
let taken = 0;
try {
  for (const width of widths) {
    const page = await browser.newPage({ viewport: { width, height: width === 320 ? 568 : 720 } });
    for (const look of looks)
      for (const language of ['en', 'de', 'ar'])
        for (const state of [...Object.keys(states), ...messageStates]) {
          const name = [state, width, look, language].join('-');
          if (!wanted.every((word) => `-${name}-`.includes(`-${word}-`))) continue;
          const scheme = look === 'dark' ? 'dark' : 'light';
          await page.emulateMedia({ forcedColors: look === 'forced' ? 'active' : 'none' });
          await page.goto(served.url + addressOf(state, { scheme, language }));
          await page.locator('html[data-reached]').waitFor();
          await page.screenshot({ path: `${folder}${name}.png` });
          taken++;
        }
    await page.close();
  }
} finally {
  await browser.close();
  await served.close();
}
process.stdout.write(`${taken} pictures in ${folder}\n`);
