import type { Texts } from '../locale.ts';

export const money: Texts['money'] = {
  title: 'Geld',
};
