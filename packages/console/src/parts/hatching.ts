import type { ColourName, Look } from './chart-content.ts';

const SIZE = 8;

/** Lines of a tile by role, from `x1, y1` to `x2, y2`. Roles without lines are filled or empty. */
const lines: Partial<Record<ColourName, readonly (readonly [number, number, number, number])[]>> = {
  good: [
    [-2, 2, 2, -2],
    [-2, 10, 10, -2],
    [6, 10, 10, 6],
  ],
  bad: [
    [0, 4, 8, 4],
    [4, 0, 4, 8],
  ],
  warn: [[0, 4, 8, 4]],
};

/** Whether colors are forced: bars then have an edge, which is not of the color of the page. */
export const hasForcedColours = ({ edge, page }: Look): boolean => edge !== page;

/**
 * Returns the fill of a bar. Forced colors are few, and may be alike: bars then differ by hatching.
 */
export function fillFor(name: ColourName, look: Look): string | CanvasPattern {
  if (!hasForcedColours(look)) return look[name];
  if (name === 'brand') return look.text;
  const tile = document.createElement('canvas');
  [tile.width, tile.height] = [SIZE, SIZE];
  const context = tile.getContext('2d');
  if (context === null) return look[name];
  context.fillStyle = look.page;
  context.fillRect(0, 0, SIZE, SIZE);
  context.strokeStyle = look.text;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [x1, y1, x2, y2] of lines[name] ?? []) {
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? look[name];
}
