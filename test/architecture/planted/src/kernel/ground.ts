export const ground = 1;
