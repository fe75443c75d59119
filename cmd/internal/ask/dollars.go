package ask

import (
	"errors"
	"math"
	"strconv"
)

// dollars is the value of --max-cost, of which 0 allows nothing that costs anything.
type dollars struct {
	most *float64 // nil if the flag is not given
}

// Set sets the amount.
func (d *dollars) Set(text string) error {
	amount, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(amount) || math.IsInf(amount, 0) || amount < 0 {
		return errors.New("an amount is required, such as 0.50")
	}
	d.most = &amount
	return nil
}

// String returns the amount; empty if there is none.
func (d *dollars) String() string {
	if d.most == nil {
		return ""
	}
	return strconv.FormatFloat(*d.most, 'f', -1, 64)
}

// Type returns the name of the value in the help.
func (d *dollars) Type() string { return "float" }
