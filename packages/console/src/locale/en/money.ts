export const money = {
  title: 'Money',
};
