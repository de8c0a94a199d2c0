import type { Texts } from '../locale.ts';

export const sync: Texts['sync'] = {
  title: 'Abgleich',
};
