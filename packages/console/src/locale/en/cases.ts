export const cases = {
  title: 'Cases',
};
