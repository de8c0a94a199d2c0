export const help = {
  title: 'Help',
};
