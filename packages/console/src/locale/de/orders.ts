import type { Texts } from '../locale.ts';

export const orders: Texts['orders'] = {
  title: 'Bestellungen',
};
