import { expect, it, onTestFinished } from 'vitest';
import { cdp, page } from 'vitest/browser';
import { useStyles } from '../styles.fixture.ts';
import sheet from './console.css?inline';

useStyles(sheet);

it('prints a page over the whole width of wide paper', async () => {
  const [width, height] = [innerWidth, innerHeight];
  onTestFinished(() => page.viewport(width, height));
  await page.viewport(1280, 800);
  document.body.innerHTML = '<div class="frame"><nav id="navigation"></nav><main></main></div>';
  const widthOf = () => document.querySelector('main')?.clientWidth;
  expect(widthOf()).toBeLessThan(1100);
  await cdp().send('Emulation.setEmulatedMedia', { media: 'print' });
  try {
    expect(widthOf()).toBe(innerWidth);
  } finally {
    await cdp().send('Emulation.setEmulatedMedia', { media: '' });
  }
});
