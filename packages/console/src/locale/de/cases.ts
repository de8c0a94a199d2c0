import type { Texts } from '../locale.ts';

export const cases: Texts['cases'] = {
  title: 'Fälle',
};
