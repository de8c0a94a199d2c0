import { expect, it } from 'vitest';
import { colourNames, type Look } from './chart-content.ts';
import { fillFor } from './hatching.ts';

/** Forced colors of which only two differ. */
const look = Object.fromEntries([
  ...colourNames.map((name) => [name, '#000000'] as const),
  ['page', '#ffffff'],
  ['font', 'sans-serif'],
]) as Look;

function pixelsOf(fill: string | CanvasPattern): string {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) throw new Error('The browser has no memory for the image.');
  context.fillStyle = fill;
  context.fillRect(0, 0, 16, 16);
  return context.getImageData(0, 0, 16, 16).data.join();
}

it('fills each role of a chart in another way where colors are forced', () => {
  const roles = ['brand', 'good', 'bad', 'warn', 'neutral'] as const;
  const fills = roles.map((name) => pixelsOf(fillFor(name, look)));
  expect(new Set(fills).size).toBe(roles.length);
});

it('fills a bar with the color of its role where colors are not forced', () => {
  expect(fillFor('bad', { ...look, edge: look.page, bad: '#8f1d10' })).toBe('#8f1d10');
});
