// Loads the documented tariffs with evcc's own code and prints the rates that it keeps, for each case.
// Arguments: the configuration, the cases. evcc has no clock of its own, so that each list is moved to the present.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"time"

	"github.com/evcc-io/evcc/tariff"
	"go.yaml.in/yaml/v4"
)

type rate struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	Value float64   `json:"value"`
}

func main() {
	var cases []struct {
		Now  int64
		Http struct{ Evcc []rate }
	}
	load(os.Args[2], &cases, json.Unmarshal)
	results := []any{}
	for _, each := range cases {
		shift := time.Now().Truncate(tariff.SlotDuration).Sub(time.UnixMilli(each.Now).Truncate(tariff.SlotDuration))
		read, err := readBy(os.Args[1], moved(each.Http.Evcc, shift))
		if err != nil {
			results = append(results, err.Error())
			continue
		}
		steps := [][2]float64{}
		for _, r := range moved(read, -shift) {
			steps = append(steps, [2]float64{float64(r.Start.UnixMilli()), r.Value})
		}
		results = append(results, steps)
	}
	json.NewEncoder(os.Stdout).Encode(results)
}

// readBy returns what the tariff "grid" knows after its start; every tariff of the file has to load.
func readBy(file string, list []rate) ([]rate, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(list)
	}))
	defer server.Close()
	var config struct{ Tariffs map[string]any }
	load(file, &config, func(text []byte, into any) error { return yaml.Unmarshal(text, into) })
	read := []rate{}
	for name, value := range config.Tariffs {
		settings, isTariff := value.(map[string]any)
		if !isTariff {
			continue
		}
		kind := settings["type"].(string)
		delete(settings, "type")
		source := settings["forecast"].(map[string]any)
		address, err := url.Parse(source["uri"].(string))
		if err != nil {
			return nil, err
		}
		source["uri"] = server.URL + address.RequestURI()
		loaded, err := tariff.NewFromConfig(context.Background(), kind, settings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rates, err := loaded.Rates()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range rates {
			if name == "grid" {
				read = append(read, rate{r.Start, r.End, r.Value})
			}
		}
	}
	return read, nil
}

func moved(list []rate, by time.Duration) []rate {
	all := []rate{}
	for _, r := range list {
		all = append(all, rate{r.Start.Add(by).UTC(), r.End.Add(by).UTC(), r.Value})
	}
	return all
}

func load(file string, into any, read func([]byte, any) error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = read(text, into)
	}
	if err != nil {
		panic(err)
	}
}
