// A button that shows a colour with its number.

import { colourOf, inkOn } from "../grid/palette.ts";
import { palette } from "../settings.ts";

export function Swatch(props: { colour: number; label: string; isPressed: boolean; onPress: () => void }) {
  const colour = colourOf(props.colour, palette.value);
  return (
    <button
      type="button"
      class="swatch"
      aria-pressed={props.isPressed}
      aria-label={`${props.colour}, ${props.label}`}
      title={props.label}
      style={{ backgroundColor: colour, color: inkOn(colour) }}
      onClick={props.onPress}
    >
      {props.colour}
    </button>
  );
}
