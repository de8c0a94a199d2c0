export const today = {
  title: 'Today',
};
