import type { Texts } from '../locale.ts';

export const imports: Texts['imports'] = {
  title: 'Importe',
};
